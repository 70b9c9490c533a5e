import * as declared from 'scrypt-kdf'
import { parseRecord, type ScryptCost } from '../../adapters/credentials/scrypt/record.ts'

// The types declare named exports, but the package has only a default export.
const scrypt = (declared as unknown as { default: { verify: typeof declared.verify } }).default

/** The arguments of a scrypt verification: the record in base64, its cost, and the length of the passphrase. */
export type Kdf = Readonly<{ kdf: string; cost: ScryptCost | undefined; passphraseBytes: number }>

/** All arguments of scrypt verifications during `work`. */
export const kdfsDuring = async (work: () => Promise<unknown>): Promise<ReadonlyArray<Kdf>> => {
  const given: Array<Kdf> = []
  const { verify } = scrypt
  scrypt.verify = (key, passphrase) => {
    const kdf = Buffer.from(key as Uint8Array).toString('base64')
    given.push({ kdf, cost: parseRecord(`1$$${kdf}`)?.cost, passphraseBytes: passphrase.length })
    return verify.call(scrypt, key, passphrase)
  }
  try {
    await work()
  } finally {
    scrypt.verify = verify
  }
  return given
}
