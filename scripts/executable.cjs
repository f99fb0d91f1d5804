// The start of the executable: the files of dist are its assets.
const { posix } = require('node:path');
const { getRawAsset } = require('node:sea');
const { compiledCode, runBundle } = require('../bin/run-bundle.js');

const read = (path) => Buffer.from(getRawAsset(posix.normalize(path)));
// Of the libraries, nothing is compiled beforehand.
runBundle(read, (path) => (path.startsWith('./libraries/') ? undefined : read(`${compiledCode}/${path}`)));
