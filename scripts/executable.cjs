// The start of the executable: the files of dist are its assets, with what V8 has compiled of them.
const { getAssetKeys, getRawAsset } = require('node:sea');
const runBundle = require('./run-bundle.cjs');

const assets = new Set(getAssetKeys());
const bytesOf = (name) => Buffer.from(getRawAsset(name));
runBundle(bytesOf, (path) => (assets.has(`${path}.compiled`) ? bytesOf(`${path}.compiled`) : undefined));
