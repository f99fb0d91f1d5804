import { expect, test } from 'vitest';
import { withLayout } from '../../../src/roster/map/declaration.ts';

const nothingDeclared = { map: {}, only: {}, except: {}, ignored: [] };

const layout = {
  map: { email: ['Mail'], name: ['Name'] },
  only: { Status: ['in'], Term: ['WS26'] },
  except: { Status: ['out', 'late'], Term: [] },
  ignored: ['Group'],
};

test('What is declared beside a layout is added to it, and moves a value or a column that the layout has elsewhere.', () => {
  const { only, except, ignored, map } = withLayout(
    { ...nothingDeclared, map: { name: ['Badge'] }, only: { status: ['LATE', 'new'], Group: ['A'] }, ignored: ['term'] },
    'office',
    layout,
  );
  expect(map).toEqual({ email: ['Mail'], name: ['Badge'] });
  expect(only).toEqual({ Status: ['in', 'LATE', 'new'], Group: ['A'] });
  expect(except).toEqual({ Status: ['out'] });
  expect(ignored).toEqual(['term']);
});

test('A layout alone is what it was saved as.', () => {
  const { only, except, ignored, map, layout: named } = withLayout(nothingDeclared, 'office', layout);
  expect({ only, except, ignored, map }).toEqual(layout);
  expect(named).toEqual({ name: 'office', format: undefined, headers: ['Mail', 'Name', 'Status', 'Term', 'Status', 'Term', 'Group'] });
});
