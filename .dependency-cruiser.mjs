// Who may import whom. A module knows the layers below its own, and in its own layer only itself; types count as imports.
const layers = [
  ['text'],
  ['model'],
  ['errors', 'exit-status'],
  ['host'],
  ['files'],
  ['api', 'output', 'roster', 'record'],
  ['config', 'sandbox'],
  ['command'],
  ['runs'],
  ['features'],
  ['commands'],
  ['cli'],
  ['main|start'],
];

/** Which modules may import a library: the others get values. */
const libraries = {
  '@inquirer': 'host/terminal/',
  'chalk|cli-table3|string-width': 'output/',
  commander: 'cli/',
  conf: 'config/',
  'csv-parse': 'roster/',
  'saxes|yauzl': 'files/office-file[.]ts',
  'hono|@hono': 'sandbox/',
  pg: 'record/',
  undici: '(api/|host/host[.]ts)',
};

/** Files of src, by what their paths begin with. `but`: these are left out. */
const files = (path, but, more = {}) => ({ path: `^src/(?:${path})`, ...(but && { pathNot: `^src/(?:${but})` }), ...more });
const modules = (names) => `(${names.join('|')})(/|[.]ts$)`;
const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
const feature = '^src/features/[^/]+$';
const values = { dependencyTypesNot: ['type-only'] };

const layerRules = layers.flatMap((names, height) =>
  names.map((name) => {
    const others = [...names.filter((other) => other !== name), ...layers.slice(height + 1).flat()];
    return rule(`below-${name}`, files(modules([name])), files(modules(others)), 'Pass in what it needs, or move that below.');
  }),
);

const libraryRules = Object.entries(libraries).map(([library, owner]) =>
  rule(library, files('', owner), { path: `node_modules/(${library})/` }, `Only ${owner} has it: yield a value.`),
);

export default {
  forbidden: [
    rule('no-circles', {}, { circular: true }, 'Move what both need below them; a circle of types is a circle.'),
    ...layerRules,
    ...libraryRules,
    { ...rule('features', { path: feature }, { path: feature, circular: true }, 'Move what both need below them.'), scope: 'folder' },
    rule(
      'drawings',
      files('features/|commands/|runs/'),
      files('output/', 'output/(cell|canvas|formats)[.]ts'),
      'Yield values: a renderer shows them.',
    ),
    rule(
      'writes',
      files('', 'runs/|api/client[.]ts'),
      files('api/write[.]ts'),
      'Compute a plan and give it to executePlan (src/runs/index.ts).',
    ),
    rule('runs', files('', 'runs/'), files('runs/', 'runs/index[.]ts'), 'Import from src/runs/index.ts.'),
    rule('record-entrance', files('', 'record/'), files('record/', 'record/index[.]ts'), 'Import from src/record/index.ts.'),
    rule('reads', files('features/exam-selection[.]ts'), files('runs/|record/'), 'A list of exams loads no engine of writes.'),
    rule('command-is-types', files('command[.]ts'), files('', undefined, values), 'A command is a record: it loads nothing by itself.'),
    rule('host-in-api', files('api/'), files('host/', undefined, values), 'The host is passed in: import only its type.'),
    rule(
      'host-is-a-port',
      files('host/host[.]ts'),
      { path: '^src/(?!text/)|node_modules/', ...values },
      'The host is a type: a test can be one.',
    ),
    rule('entrances', files('', '(start|complete)[.]ts|host/'), files('host/(process|terminal/)'), 'Take the host as a value.'),
    rule(
      'sandbox',
      files('sandbox/'),
      files('(api|record|files)/', '(api/(operations|dialect)|files/(sqlite|private-files))[.]ts'),
      'The service shares models and operations with the client, and nothing else, or it would share its mistakes.',
    ),
    rule(
      'sqlite',
      files('', 'files/sqlite[.]ts'),
      { path: '^(node:)?sqlite$' },
      'Import src/files/sqlite.ts, which keeps its notice quiet.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
