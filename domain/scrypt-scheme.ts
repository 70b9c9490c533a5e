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
