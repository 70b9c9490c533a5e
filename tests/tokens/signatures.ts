import {
  byLibsodium,
  bySynchronousOpenSsl,
  type KeyHalves,
  libsodium,
  type Signatures,
} from '../../adapters/credentials/signing/signatures.ts'

/** Both implementations of signatures, whichever the service would use here. */
export const IMPLEMENTATIONS: ReadonlyArray<
  readonly [library: string, signaturesOf: (halves: KeyHalves) => Signatures | Promise<Signatures>]
> = [
  ['OpenSSL', bySynchronousOpenSsl],
  [
    'libsodium',
    async (halves) => {
      const sodium = await libsodium()
      if (sodium === undefined) throw new Error('sodium-native has no binary for this platform')
      return byLibsodium(sodium, halves)
    },
  ],
]
