import * as declared from 'scrypt-kdf'
import { parseRecord, type ScryptCost } from '../../adapters/driven/scrypt/record.ts'

// The package declares named exports, and has a default export only.
const scrypt = (declared as unknown as { default: { verify: typeof declared.verify } }).default

/** What scrypt was given to verify: the record in base64, its cost, and how long the passphrase is. */
export type Kdf = Readonly<{ kdf: string; cost: ScryptCost | undefined; passphraseBytes: number }>

/** All that scrypt is given to verify while `work` goes on. */
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
