/**
 * What a store says of how a password's record was made: a public text, written beside the record. Ours reads
 * `scrypt ln=15,r=8,p=3`, and `scrypt ln=15,r=8,p=3 pepper=ID` where a pepper was mixed in.
 */
export type ScryptScheme = Readonly<{
  cost: Readonly<{ logN: number; r: number; p: number }>
  pepperId: string
}>

export const scryptSchemeText = ({ cost: { logN, r, p }, pepperId }: ScryptScheme): string =>
  `scrypt ln=${logN},r=${r},p=${p}${pepperId === '' ? '' : ` pepper=${pepperId}`}`

export const parseScryptScheme = (text: string): ScryptScheme | undefined => {
  const [, logN, r, p, pepperId = ''] =
    /^scrypt ln=(\d{1,3}),r=(\d{1,10}),p=(\d{1,10})(?: pepper=(.+))?$/.exec(text) ?? []
  return logN === undefined
    ? undefined
    : { cost: { logN: Number(logN), r: Number(r), p: Number(p) }, pepperId }
}

/** Laid out as scrypt-kdf lays it out: what it begins with, version, cost. */
export const costIn = (kdf: Buffer): ScryptScheme['cost'] => ({
  logN: kdf.readUInt8(7),
  r: kdf.readUInt32BE(8),
  p: kdf.readUInt32BE(12),
})

/** What a record begins with: a name and the version of the format. */
export const MAGIC = Buffer.from('scrypt\0')
export const RECORD_BYTES = 96

/** The scheme of a record from before schemes were kept: '' where nothing can be said of it. */
export const schemeOfRecord = (record: string): string => {
  const [, pepperId, encoded] = /^1\$([^$]*)\$([A-Za-z0-9+/]{128})$/.exec(record) ?? []
  if (pepperId === undefined || encoded === undefined) return ''
  const kdf = Buffer.from(encoded, 'base64')
  return kdf.subarray(0, MAGIC.length).equals(MAGIC) ? scryptSchemeText({ cost: costIn(kdf), pepperId }) : ''
}
