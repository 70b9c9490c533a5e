import type { UserTokens } from '../../../application/ports/token-format.ts'
import type { UserTokenClaims } from '../../../domain/token.ts'
import { ok, refused } from '../outcome.ts'
import { INVALID } from '../token-format/keys.ts'
import { stranger } from '../token-format/web-crypto.ts'
import type { Check, Kind } from '../token-format.ts'
import { format, HEADER, type Paseto, parse, signedOf } from './paseto.ts'

/** The version, the purpose and the key are never taken from a token. */
export const forgedPasetoCases = (check: Check<UserTokens>, { claims }: Kind<UserTokenClaims>): void => {
  for (const [what, forge] of FORGERIES) {
    check(`a token is no good that ${what}`, async (tokens, key) => {
      const token = await ok(tokens.sign(claims, key))
      await ok(tokens.verify(token, [key]))
      for (const forged of await forge(parse(token), token))
        await refused(tokens.verify(forged, [key]), INVALID, forged)
    })
  }
}

const FORGERIES: ReadonlyArray<
  readonly [what: string, forge: (genuine: Paseto, token: string) => Promise<ReadonlyArray<string>>]
> = [
  [
    'names another version or purpose',
    async (_, token) =>
      ['v1.public.', 'v2.public.', 'v3.public.', 'v4.local.', 'V4.PUBLIC.', 'v4.', 'public.', ''].map(
        (header) => header + token.slice(HEADER.length),
      ),
  ],
  [
    'has another footer than was signed',
    async (genuine) =>
      ['', '{}', '{"kid":"another"}', `${genuine.footer} `, 'x']
        .filter((footer) => footer !== genuine.footer.toString())
        .map((footer) => format({ ...genuine, footer: Buffer.from(footer) })),
  ],
  [
    'brings its own key along',
    async (genuine) => {
      const { jwk, sign } = await stranger()
      const footers = [
        genuine.footer,
        Buffer.from(`k4.public.${jwk.x}`),
        Buffer.from(JSON.stringify({ jwk })),
      ]
      return Promise.all(
        footers.map(async (footer) => {
          const forged = { ...genuine, footer }
          return format({ ...forged, signature: Buffer.from(await sign(signedOf(forged))) })
        }),
      )
    },
  ],
  [
    'leaves its signature out',
    async (genuine) =>
      [Buffer.alloc(0), Buffer.alloc(64)].map((signature) => format({ ...genuine, signature })),
  ],
]
