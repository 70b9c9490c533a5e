import { isLeft } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { Finding } from '../../../application/ports/inspection.ts'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { Operations } from './composition.ts'
import { awayBecause } from './operations.ts'

/** Whether every key in use can be unwrapped, signs what it verifies itself, and is encrypted as it is to be now. */
export const keysFinding = async (operations: Operations): Promise<Finding> => {
  const { store, keyWrapping } = operations
  const keys = await store.listSigningKeys()()
  if (isLeft(keys)) return { name: 'keys', ok: false, detail: awayBecause(keys.left) }
  const inUse = keys.right.filter(({ retired }) => !retired)
  const shut: Array<string> = []
  const broken: Array<string> = []
  const outdated: Array<string> = []
  for (const key of inUse) {
    const material = keyWrapping.unwrap(key.material, key)
    if (isLeft(material)) shut.push(material.left.reason)
    else if (!(await signsAndVerifies(operations, { ...key, material: material.right }))) broken.push(key.kid)
    else if (keyWrapping.assess(key.material, key) === 'outdated') outdated.push(key.kid)
  }
  const { keyEncryptionKeyId } = keyWrapping
  const id = isSome(keyEncryptionKeyId) ? keyEncryptionKeyId.value : undefined
  const wrong = [
    ...unlessNone(shut.join('; '), (reasons) => `${reasons}. ${OPEN}`),
    ...unlessNone(broken.join(', '), (kids) => `${kids} cannot sign. ${REPLACE}`),
    ...unlessNone(
      outdated.join(', '),
      (kids) => `${kids} are not encrypted under the key-encryption key ${id}. ${ENCRYPT}`,
    ),
  ]
  const encrypted = id === undefined ? ', and are not encrypted' : `, and are encrypted under ${id}`
  return wrong.length > 0
    ? { name: 'keys', ok: false, detail: wrong.join(' ') }
    : { name: 'keys', ok: true, detail: `${inUse.length} sign and verify${encrypted}.` }
}

const OPEN =
  'Set KEY_ENCRYPTION_KEY as it was; where that is lost, make other keys: portcullis keys rotate --leaked'
const REPLACE = 'Make others: portcullis keys rotate --leaked'
const ENCRYPT = 'A service that is started with this KEY_ENCRYPTION_KEY encrypts them.'

const unlessNone = (found: string, say: (found: string) => string): ReadonlyArray<string> =>
  found === '' ? [] : [say(found)]

const signsAndVerifies = async ({ formats, settings }: Operations, key: SigningKey): Promise<boolean> => {
  const probe = { iss: settings.publicUrl, sub: '-', iat: 0, exp: 0, jti: '-' }
  const [format, claims] =
    key.purpose === 'user'
      ? [formats.user as TokenFormat<unknown>, { ...probe, sid: '-' }]
      : [formats.application as TokenFormat<unknown>, { ...probe, client_id: '-', aud: '-', scope: '' }]
  const token = await format.sign(claims, key)()
  return !isLeft(token) && !isLeft(await format.verify(token.right, [key])())
}
