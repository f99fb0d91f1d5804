// Who may import whom. Each rule says what to do instead.
const room = (name) => `^src/${name}(/|\\.ts$)`;
const only = (name, library, rooms, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: '^src', pathNot: rooms.map((path) => `^src/${path}`) },
  to: { path: library },
});
const forbid = (name, from, to, comment, extra = {}) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: to, ...extra },
});

export default {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      comment: 'Move what both need below them; a circle of types is a circle.',
      from: {},
      to: { circular: true },
    },
    forbid(
      'model-alone',
      room('model'),
      '^src/(?!model/|text/)',
      'The model knows nothing of the rest: pass in what it needs, throw InvalidValue.',
    ),
    forbid('text-alone', room('text'), '^src/(?!text/)', 'Text knows nothing of what it is about: pass in what it needs.'),
    forbid('errors-alone', room('errors'), '^src/(?!text/)', 'The error table stands below everything: put what it needs into the error.'),
    forbid(
      'api-below',
      room('api'),
      '^src/(?!text/|api/|model/|errors\\.ts|host/host\\.ts)',
      'The API side knows models, errors and the type of the host: pass the rest in as values.',
    ),
    {
      ...forbid('api-host-type', room('api'), '^src/host/host\\.ts', 'Import only the type of the host; the host itself is passed in.', {
        dependencyTypesNot: ['type-only'],
      }),
    },
    {
      ...forbid(
        'writes-in-runs-only',
        '^src/(?!runs/|api/client\\.ts)',
        '^src/api/write\\.ts',
        'Whatever changes the service is a step of a run: compute a plan and give it to carryOut (src/runs/index.ts).',
      ),
    },
    forbid(
      'runs-below',
      room('runs'),
      '^src/(?!text/|runs/|api/|model/|(errors|command)\\.ts|host/host\\.ts|config/settings\\.ts|state/(state|run-origin)\\.ts)',
      'Runs ask the service through the client, people through the context, and record behind the interface of the state.',
    ),
    {
      ...forbid('runs-by-their-entry-point', '^src/(?!runs/)', '^src/runs/(?!index\\.ts)', 'Import from src/runs/index.ts.'),
    },
    forbid(
      'state-behind-its-interface',
      '^src/(?!state/|cli/run/context\\.ts|cli/complete/candidates\\.ts|commands/state\\.ts|runs/|sandbox/)',
      '^src/state/(open-state|sqlite-state|runs-state|open-database|state-tables|store|turn|group-commit|held-run|run-database|student-keys|postgres/.*)\\.ts',
      'The record of runs is read and written by src/runs only; what keeps it, only src/state knows.',
    ),
    forbid(
      'output-not-api',
      room('output'),
      '^src/(?!text/|output/|model/|errors\\.ts|host/host\\.ts)',
      'Renderers get values: pass them in through the view, and let a feature give what draws its own.',
    ),
    forbid(
      'command-knows-no-feature',
      room('command'),
      '^src/(?!text/|output/(progress|result|row)\\.ts|config/(settings|overrides)\\.ts|state/(output-file|state)\\.ts|api/|model/|errors\\.ts|host/host\\.ts)',
      'A command is what all features have in common: give their own as a value, such as the drawing of a live result.',
    ),
    {
      ...forbid('command-is-types', room('command'), '^src/', 'Import only types: a command is a record, and loads nothing by itself.', {
        dependencyTypesNot: ['type-only'],
      }),
    },
    forbid(
      'host-is-a-port',
      '^src/host/host\\.ts',
      '^src/(?!text/)',
      'The host is a type that a test can be: let src/host/process.ts do what needs this process.',
    ),
    {
      name: 'process-by-the-entrances',
      severity: 'error',
      comment: 'Take the host as a value: only the entrances make one of this process.',
      from: { path: '^src', pathNot: '^src/program-file\\.ts|^src/host/' },
      to: { path: '^src/host/(process|terminal/)' },
    },
    forbid(
      'sandbox-not-client',
      room('sandbox'),
      '^src/(?!text/|sandbox/|model/|errors\\.ts|state/(sqlite|private-folder)\\.ts|api/(operations|dialect)\\.ts)',
      'The service shares models and the table of operations with the client, and nothing else, or it would share its mistakes.',
    ),
    forbid(
      'lock-below',
      room('state/lock'),
      '^src/(?!text/|errors\\.ts|host/host\\.ts|state/(sqlite|private-folder|refuse-link)\\.ts)',
      'The lock knows paths and times: pass the rest in as values.',
    ),
    forbid(
      'state-below',
      room('state'),
      '^src/(?!text/|state/|model/|errors\\.ts|host/(host|own)\\.ts)',
      'The state keeps what it is given: pass in folders as paths, and what events mean stays with the runs.',
    ),
    only('postgres-in-state', 'node_modules/pg/', ['state/postgres/'], 'Only the store of a team speaks to its database.'),
    forbid(
      'input-file-below',
      room('host/input-file'),
      '^src/(?!text/)',
      'Reading knows paths, limits and signals: the caller makes the error, because it knows what the file is for.',
    ),
    forbid(
      'output-file-below',
      room('state/output-file'),
      '^src/(?!text/|errors\\.ts|host/own\\.ts|state/(inherited-descriptor|private-file|why-not-written)\\.ts)',
      'The rule for files knows paths: pass in what the command reads and what it writes.',
    ),
    forbid(
      'roster-below',
      room('roster'),
      '^src/(?!text/|roster/|model/|errors\\.ts|host/input-file\\.ts)',
      'A roster is a file: reading it knows neither the service nor what the students are read for.',
    ),
    forbid(
      'rosters-below',
      room('features/rosters'),
      '^src/(?!text/|features/rosters/|roster/|model/|(errors|command)\\.ts|host/host\\.ts)',
      'What is declared of a file and asked about it is the same for all who read one: pass the rest in as values.',
    ),
    forbid(
      'bulk-below',
      room('features/import'),
      '^src/(?!text/|features/(import/|rosters/|(exam-selection|ids-file|student-windows)\\.ts)|roster/|runs/index\\.ts|api/|model/|(errors|command)\\.ts|host/(host|input-file)\\.ts|state/(output-file|run-origin)\\.ts)',
      'The import plans lines and tells what became of them: let a run send and record them.',
    ),
    forbid(
      'watch-below',
      room('features/watch'),
      '^src/(?!text/|features/watch/|model/|errors\\.ts|command\\.ts|host/host\\.ts|features/(exam-now|exam-selection|each-exam)\\.ts|output/canvas\\.ts|api/(client|operations|dialect|pace-calculator|retry)\\.ts)',
      'A watch asks through the client, yields moments and draws them on a canvas: pass times and folders in.',
    ),
    forbid(
      'report-below',
      room('features/exam-report'),
      '^src/(?!text/|features/exam-report/|model/|errors\\.ts|state/output-file\\.ts|command\\.ts|features/(exam-now|exam-selection|each-exam)\\.ts|api/(client|dialect)\\.ts|output/cell\\.ts)',
      'A report is made of an exam and its students: ask through the client of the context, and pass the rest in as values.',
    ),
    forbid(
      'terminal-below',
      room('host/terminal'),
      '^src/(?!text/|host/terminal/|errors\\.ts|host/host\\.ts)',
      'The terminal shows what it is given and tells what was typed: decide on both elsewhere.',
    ),
    forbid(
      'shells-alone',
      room('cli/complete/shells'),
      '^src/(?!cli/complete/shells/)',
      'The scripts know no command: let them ask the program.',
    ),
    forbid(
      'moved-times-below',
      room('features/moved-times'),
      '^src/(?!text/|features/(moved-times/|writes/outcome-rows\\.ts)|runs/index\\.ts|model/|(errors|command)\\.ts|api/(client|in-words|operations)\\.ts)',
      'Moved times are a plan and its words: give the plan to carryOut (src/runs/index.ts).',
    ),
    forbid(
      'moved-times-by-their-door',
      '^src/(?!features/moved-times/)',
      '^src/features/moved-times/(?!index\\.ts)',
      'Compute the moves and give them to moveTimes (src/features/moved-times/index.ts).',
    ),
    forbid(
      'extend-below',
      room('features/extend'),
      '^src/(?!text/|features/(extend/|moved-times/index\\.ts|(exam-now|listed-sessions)\\.ts)|runs/index\\.ts|model/|(errors|command)\\.ts|api/(client|in-words|operations)\\.ts)',
      'An extension computes moves: give them to moveTimes.',
    ),
    forbid(
      'accommodations-below',
      room('features/accommodations'),
      '^src/(?!text/|features/(accommodations|rosters)/|features/(exam-selection|listed-sessions|moved-times/index)\\.ts|runs/index\\.ts|roster/|api/|model/|(errors|command)\\.ts|host/host\\.ts)',
      'The list is a file and its check a comparison: ask the service through the client, and give moves to moveTimes.',
    ),
    forbid(
      'exam-times-below',
      room('features/exam-times'),
      '^src/(?!text/|features/(exam-times/|moved-times/index\\.ts|[^/]+\\.ts$)|runs/index\\.ts|model/|(errors|command)\\.ts|api/(client|operations)\\.ts)',
      'Shift and delay compute moves: give them to moveTimes.',
    ),
    forbid(
      'period-below',
      room('features/period'),
      '^src/(?!text/|features/(period|rosters|exam-times)/|features/(exam-selection|ids-file|accommodations/index|moved-times/index|import/(line-plan|line-steps|removals|roster-plan|validate)|writes/(exam-update|users-of-institute|outcome-rows))\\.ts|roster/|runs/index\\.ts|api/|model/|(errors|command)\\.ts|host/host\\.ts|state/(private-file|run-origin|why-not-written)\\.ts)',
      'A period is a file and its comparison with the exams: compute steps and give them to a run.',
    ),
    forbid(
      'transfer-below',
      room('features/transfer'),
      '^src/(?!text/|features/(transfer/|(listed-sessions|student-windows)\\.ts)|runs/index\\.ts|model/|(errors|command)\\.ts|api/(client|in-words|operations)\\.ts)',
      'Moves and copies compute steps: give them to a run.',
    ),
    forbid(
      'exam-day-below',
      '^src/features/(?!ids-file)[^/]+\\.ts$',
      '^src/(?!text/|features/([^/]+|transfer/copy|writes/[^/]+)\\.ts$|runs/index\\.ts|api/|model/|(errors|command)\\.ts|host/host\\.ts)',
      'These helpers ask the service through the client and people through the context: pass the rest in as values.',
    ),
    forbid(
      'config-below',
      room('config'),
      '^src/(?!text/|config/|model/|errors\\.ts|host/(host|input-file|program-failure)\\.ts|state/(lock|options|private-folder)\\.ts|api/(dialect|paging-style)\\.ts)',
      'Settings are values: let the caller act on them.',
    ),
    forbid(
      'doctor-below',
      room('features/doctor'),
      '^src/(?!text/|features/doctor/|api/|config/|model/|sandbox/index\\.ts|state/(private-folder|why-not-written)\\.ts|(errors|command)\\.ts|host/(host|input-file)\\.ts)',
      'A check finds something out about its patient: pass in what it needs, let the command show it.',
    ),
    forbid(
      'preflight-below',
      room('features/preflight'),
      '^src/(?!text/|features/(preflight|rosters)/|features/accommodations/index\\.ts|features/(exam-now|exam-selection|listed-sessions)\\.ts|roster/|model/|(errors|command)\\.ts|config/named-profiles\\.ts|host/host\\.ts|state/output-file\\.ts|api/(client|operations|planned)\\.ts)',
      'A check judges what was read: read it in read.ts, and let the command show it.',
    ),
    forbid(
      'reference-from-pages',
      room('cli/help/reference'),
      '^src/(?!cli/help/(reference/|(help-book|help-page)\\.ts))',
      'The reference lays out the pages of help: say it there, and it stands in all of them.',
    ),
    forbid(
      'commands-are-data',
      room('commands'),
      '^src/(cli/(?!complete/shells/)|output/)',
      'Commands yield values; parsing and printing happen to them.',
    ),
    {
      name: 'only-cli-has-commands',
      severity: 'error',
      comment: 'Nothing but cli and start knows the commands: move what you need to the room it belongs to.',
      from: { path: '^src', pathNot: '^src/(cli|commands)/|^src/start\\.ts' },
      to: { path: '^src/commands/' },
    },
    only('commander-in-cli', 'node_modules/commander/', ['cli/'], 'Describe it in the command record; cli turns it into commander.'),
    only('colours-in-output', 'node_modules/(chalk|cli-table3|string-width)/', ['output/'], 'Yield a value and let a renderer colour it.'),
    only(
      'yaml-by-two-doors',
      'node_modules/yaml/',
      ['output/', 'features/accommodations/yaml-file\\.ts'],
      'Let the renderer write YAML; it is read in one file, which gives each error its line and column.',
    ),
    only('prompts-in-terminal', 'node_modules/@inquirer/', ['host/terminal/'], 'Ask through context.confirm or host.prompts.'),
    only(
      'undici-in-api',
      'node_modules/undici/',
      ['api/', 'host/host\\.ts'],
      'Make requests through the client; the host names the type of its dispatcher only.',
    ),
    {
      ...forbid('host-loads-no-library', '^src/host/host\\.ts', 'node_modules/', 'The host is a type: import only types.', {
        dependencyTypesNot: ['type-only'],
      }),
    },
    only('rosters-in-bulk', 'node_modules/(csv-parse|fflate|saxes|yauzl)/', ['roster/read/'], 'Open rosters through src/roster/read.'),
    only('conf-in-config', 'node_modules/conf/', ['config/'], 'Change settings through the store of the config room.'),
    only('hono-in-sandbox', 'node_modules/(hono|@hono)/', ['sandbox/'], 'The embedded service is the only server here.'),
    only(
      'sqlite-by-one-door',
      '^(node:)?sqlite$',
      ['state/sqlite\\.ts'],
      'Import DatabaseSync from src/state/sqlite.ts, which keeps its notice quiet.',
    ),
    {
      ...forbid(
        'sqlite-for-two',
        '^src/(?!sandbox/|state/(lock|run-database)\\.ts)',
        '^src/state/sqlite\\.ts',
        'Use the store of the sandbox, the lock in src/state/lock.ts, or the state of runs.',
      ),
    },
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
