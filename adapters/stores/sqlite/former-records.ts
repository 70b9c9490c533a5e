/**
 * The scheme of a password record that was written before schemes were stored; '' for an unknown format. A migration calls it, so
 * it knows the format of that time and never changes.
 */
export const schemeOfRecord = (record: string): string => {
  const [, pepperId, encoded] = /^1\$([^$]*)\$([A-Za-z0-9+/]{128})$/.exec(record) ?? []
  if (pepperId === undefined || encoded === undefined) return ''
  const kdf = Buffer.from(encoded, 'base64')
  if (kdf.toString('latin1', 0, 7) !== 'scrypt\0') return ''
  const cost = `ln=${kdf.readUInt8(7)},r=${kdf.readUInt32BE(8)},p=${kdf.readUInt32BE(12)}`
  return `scrypt ${cost}${pepperId === '' ? '' : ` pepper=${pepperId}`}`
}
