/** How the file of a roster or of another table is read: the same for every command that takes one. */
export const readingFlags = {
  encoding: {
    type: 'text',
    value: 'name',
    suggests: ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1', 'iso-8859-15'],
    description: 'encoding that is not UTF-8, such as windows-1252',
  },
  sheet: { type: 'text', value: 'name', description: 'sheet of an Excel workbook, by its name or its number' },
  hiddenRows: {
    type: 'text',
    value: 'rule',
    choices: ['include', 'skip'],
    description: 'hidden rows of an Excel workbook',
  },
} as const;
