/** The key shared by all spellings of one e-mail address: most services ignore case and surrounding space. */
export function addressKey(address: string): string {
  return address.trim().normalize('NFC').toLowerCase();
}
