/**
 * How a password record was made. The store has it as a public text beside the record: `scrypt ln=15,r=8,p=3`, or
 * `scrypt ln=15,r=8,p=3 pepper=ID` with a pepper.
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

/** The cost in a record of scrypt-kdf: it follows `MAGIC`. */
export const costIn = (kdf: Buffer): ScryptScheme['cost'] => ({
  logN: kdf.readUInt8(7),
  r: kdf.readUInt32BE(8),
  p: kdf.readUInt32BE(12),
})

/** The first bytes of a record of scrypt-kdf: the name, and 0 for the version of the format. */
export const MAGIC = Buffer.from('scrypt\0')
export const RECORD_BYTES = 96

/** The scheme of a record that was written before schemes were stored; '' for an unknown format. */
export const schemeOfRecord = (record: string): string => {
  const [, pepperId, encoded] = /^1\$([^$]*)\$([A-Za-z0-9+/]{128})$/.exec(record) ?? []
  if (pepperId === undefined || encoded === undefined) return ''
  const kdf = Buffer.from(encoded, 'base64')
  return kdf.subarray(0, MAGIC.length).equals(MAGIC) ? scryptSchemeText({ cost: costIn(kdf), pepperId }) : ''
}
