import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import type { Finding } from '../../application/ports/inspection.ts'
import type { TokenFormat } from '../../application/ports/token-format.ts'
import type { AcceptedPurpose, SigningKey } from '../../domain/signing-key.ts'
import type { ApplicationTokenClaims, UserJwtClaims, UserTokenClaims } from '../../domain/token.ts'
import type { Operations } from './composition.ts'
import { unavailableText } from './operations.ts'

/** Whether each key in use can be decrypted, signs and verifies, and is encrypted under the first key-encryption key. */
export const keysFinding = async (operations: Operations): Promise<Finding> => {
  const { store, keyWrapping } = operations
  const keys = await store.listSigningKeys()()
  if (isLeft(keys)) return { name: 'keys', ok: false, detail: unavailableText(keys.left) }
  const inUse = keys.right.filter(({ retired }) => !retired)
  const undecryptable: Array<string> = []
  const broken: Array<string> = []
  const outdated: Array<string> = []
  for (const key of inUse) {
    const material = keyWrapping.unwrap(key.material, key)
    if (isLeft(material)) undecryptable.push(material.left.reason)
    else if (!(await signsAndVerifies(operations, { ...key, material: material.right }))) broken.push(key.kid)
    else if (keyWrapping.assess(key.material, key) === 'outdated') outdated.push(key.kid)
  }
  const { keyEncryptionKeyId } = keyWrapping
  const id = isSome(keyEncryptionKeyId) ? keyEncryptionKeyId.value : undefined
  const wrong = [
    ...sentenceFor(undecryptable, (reasons) => `${reasons.join('; ')}. ${DECRYPT}`),
    ...sentenceFor(broken, (kids) => `Cannot sign: ${kids.join(', ')}. ${REPLACE}`),
    ...sentenceFor(outdated, (kids) => `Not encrypted under ${id}: ${kids.join(', ')}. ${ENCRYPT}`),
  ]
  const encrypted = id === undefined ? 'not encrypted' : `encrypted under ${id}`
  return wrong.length > 0
    ? { name: 'keys', ok: false, detail: wrong.join(' ') }
    : { name: 'keys', ok: true, detail: `${inUse.length} sign and verify. They are ${encrypted}.` }
}

const DECRYPT =
  'Set KEY_ENCRYPTION_KEY to its earlier value. If that is lost, replace the keys: portcullis keys rotate --leaked'
const REPLACE = 'Replace these keys: portcullis keys rotate --leaked'
const ENCRYPT = 'Start a server with this KEY_ENCRYPTION_KEY: it encrypts them.'

/** No sentence for an empty list. */
const sentenceFor = (
  found: ReadonlyArray<string>,
  sentence: (found: ReadonlyArray<string>) => string,
): ReadonlyArray<string> => (found.length === 0 ? [] : [sentence(found)])

const signsAndVerifies = async ({ formats, settings }: Operations, key: SigningKey): Promise<boolean> => {
  if (key.purpose === 'id_token') return isRight(formats.id_token.load(key))
  const format: TokenFormat<unknown> = formats[key.purpose]
  const claims = { iss: settings.publicUrl, sub: '-', iat: 0, exp: 0, jti: '-', ...MORE_CLAIMS[key.purpose] }
  const token = await format.sign(claims, key)()
  return !isLeft(token) && !isLeft(await format.verify(token.right, [key])())
}

/** The claims that only tokens of a purpose have. */
const MORE_CLAIMS: {
  readonly [Purpose in AcceptedPurpose]: Omit<ClaimsOf[Purpose], 'iss' | 'sub' | 'iat' | 'exp' | 'jti'>
} = {
  application: { client_id: '-', aud: '-', scope: '' },
  user: { sid: '-', auth_time: 0, acr: '-', amr: [] },
  user_jwt: { sid: '-', client_id: '-', aud: '-', auth_time: 0, acr: '-', amr: [] },
}

type ClaimsOf = Readonly<{
  application: ApplicationTokenClaims
  user: UserTokenClaims
  user_jwt: UserJwtClaims
}>
