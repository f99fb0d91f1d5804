/** What two spellings of one e-mail address have in common: most services tell neither case nor surrounding space apart. */
export function addressKey(address: string): string {
  return address.trim().normalize('NFC').toLowerCase();
}
