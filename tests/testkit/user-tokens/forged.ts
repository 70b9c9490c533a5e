import type { UserTokens } from '../../../application/ports/token-format.ts'
import type { Forgery } from '../token-format/forged.ts'
import { stranger } from '../token-format/web-crypto.ts'
import { format, HEADER, parse, signedOf } from './paseto.ts'

export const PASETO_FORGERIES: ReadonlyArray<Forgery<UserTokens>> = [
  [
    'names another version or purpose',
    async (token) =>
      ['v1.public.', 'v2.public.', 'v3.public.', 'v4.local.', 'V4.PUBLIC.', 'v4.', 'public.', ''].map(
        (header) => header + token.slice(HEADER.length),
      ),
  ],
  [
    'has another footer than was signed',
    async (token) => {
      const genuine = parse(token)
      return ['', '{}', '{"kid":"another"}', `${genuine.footer} `, 'x']
        .filter((footer) => footer !== genuine.footer.toString())
        .map((footer) => format({ ...genuine, footer: Buffer.from(footer) }))
    },
  ],
  [
    'brings its own key along',
    async (token) => {
      const genuine = parse(token)
      const { jwk, sign } = await stranger()
      const footers = [
        genuine.footer,
        ...[`k4.public.${jwk.x}`, JSON.stringify({ jwk })].map((text) => Buffer.from(text)),
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
    async (token) =>
      [Buffer.alloc(0), Buffer.alloc(64)].map((signature) => format({ ...parse(token), signature })),
  ],
]
