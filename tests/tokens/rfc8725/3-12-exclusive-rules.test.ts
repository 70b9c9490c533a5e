import { expect } from 'chai'
import { base64url, forgeJwt, forgePaseto, jwtHeader, pasetoFooter } from '../forge.ts'
import {
  type Attack,
  expectAccepted,
  expectForged,
  openTarget,
  refusesForged,
  type Target,
  underAttack,
} from '../target.ts'
import { writtenClaims } from '../well-signed.ts'

const claimsOf = ({ application }: Target): string => JSON.stringify(application.claims)
const written = (target: Target): string => JSON.stringify(writtenClaims(target))

const userJwtClaims = ({ user_jwt }: Target): string => JSON.stringify(user_jwt.claims)
const allClaims = ({ application, user_jwt }: Target): string =>
  JSON.stringify({ ...application.claims, ...user_jwt.claims })

/** A user token as JWT has the format of application tokens and the meaning of user tokens. */
const MIXED_JWTS: ReadonlyArray<Attack> = (['application', 'user', 'user_jwt'] as const).flatMap((signer) =>
  (['application', 'user', 'user_jwt'] as const).flatMap((named): ReadonlyArray<Attack> => {
    const how = `signed with the ${signer} key under the id of the ${named} key`
    const header = (t: Target) => JSON.stringify(jwtHeader(t.keys[named]))
    const isGood = (purpose: string) => signer === purpose && named === purpose
    return [
      ...(isGood('application')
        ? []
        : [
            [
              `an application token ${how}`,
              (t) => forgeJwt(t.keys[signer], claimsOf(t), header(t)),
            ] as Attack,
          ]),
      ...(isGood('user_jwt')
        ? []
        : [
            [
              `a user token as JWT ${how}`,
              (t) => forgeJwt(t.keys[signer], userJwtClaims(t), header(t)),
            ] as Attack,
          ]),
      [
        `a JWT with the claims of both kinds ${how}`,
        (t) => forgeJwt(t.keys[signer], allClaims(t), header(t)),
      ],
      ...(isGood('user')
        ? []
        : [
            [
              `a user token as PASETO ${how}`,
              (t) => forgePaseto(t.keys[signer], written(t), { footer: pasetoFooter(t.keys[named]) }),
            ] as Attack,
          ]),
    ]
  }),
)

/**
 * The two kinds of token have different formats, keys and claims. Each attack mixes properties
 * of both.
 */
const MIXED: ReadonlyArray<Attack> = [
  ['an application token signed with the key of user tokens', (t) => forgeJwt(t.keys.user, claimsOf(t))],
  [
    'an application token signed with the user token key, under that key’s id',
    (t) => forgeJwt(t.keys.user, claimsOf(t), JSON.stringify(jwtHeader(t.keys.application))),
  ],
  [
    'an application token signed with its own key, under the id of the user token key',
    (t) => forgeJwt(t.keys.application, claimsOf(t), JSON.stringify(jwtHeader(t.keys.user))),
  ],
  [
    'a user token signed with the key of application tokens',
    (t) => forgePaseto(t.keys.application, written(t)),
  ],
  [
    'a user token signed with the application token key, under that key’s id',
    (t) => forgePaseto(t.keys.application, written(t), { footer: pasetoFooter(t.keys.user) }),
  ],
  [
    'a user token signed with its own key, under the id of the application token key',
    (t) => forgePaseto(t.keys.user, written(t), { footer: pasetoFooter(t.keys.application) }),
  ],
  ['the claims of a user token in an application token', (t) => forgeJwt(t.keys.application, written(t))],
  [
    'the claims of a user token in an application token, with times as numbers',
    (t) => forgeJwt(t.keys.application, JSON.stringify(t.user.claims)),
  ],
  ['the claims of an application token in a user token', (t) => forgePaseto(t.keys.user, claimsOf(t))],
  [
    'a user token that is a JWT',
    (t) => forgeJwt(t.keys.user, JSON.stringify(t.user.claims), JSON.stringify(jwtHeader(t.keys.user))),
  ],
  ['an application token behind the header of a user token', (t) => `v4.public.${t.application.token}`],
  [
    'the claims and signature of an application token in the body of a user token',
    (t) => {
      const [, payload = '', signature = ''] = t.application.token.split('.')
      const body = Buffer.concat([payload, signature].map((part) => Buffer.from(part, 'base64url')))
      return `v4.public.${base64url(body)}.${base64url(pasetoFooter(t.keys.user))}`
    },
  ],
  [
    'the claims and signature of a user token as a JWT',
    (t) => {
      const body = Buffer.from(t.user.token.split('.')[2] ?? '', 'base64url')
      const header = JSON.stringify(jwtHeader(t.keys.application))
      return [header, body.subarray(0, -64), body.subarray(-64)].map(base64url).join('.')
    },
  ],
  ['both tokens joined by a dot', (t) => `${t.user.token}.${t.application.token}`],
  ['both tokens joined the other way', (t) => `${t.application.token}.${t.user.token}`],
  ['an API key', ({ running }) => running.keys.private_api_key],
  ['a password', ({ running }) => running.user.password],
  ['a signing key', ({ keys }) => keys.user.material],
  ['the id of a session', ({ user }) => user.claims.sid],
]

describe('RFC 8725 §3.12 Use Mutually Exclusive Validation Rules for Different Kinds of JWTs (against §2.8)', () => {
  const target = underAttack()

  refusesForged(target, MIXED)
  refusesForged(target, MIXED_JWTS)

  it('has no claims that are valid for both kinds', () => {
    const { application, user } = target()
    expect(Object.keys(application.claims)).to.not.include.members(Object.keys(user.claims))
    expect(Object.keys(user.claims)).to.not.include.members(Object.keys(application.claims))
  })

  it('accepts each kind with its own key, format and claims', async () => {
    const t = target()
    await expectAccepted(t, 'application', forgeJwt(t.keys.application, claimsOf(t)))
    await expectAccepted(t, 'user', forgePaseto(t.keys.user, written(t)))
    await expectAccepted(t, 'user_jwt', forgeJwt(t.keys.user_jwt, userJwtClaims(t)))
  })
})

describe('RFC 8725 §2.8 Cross-JWT Confusion: another service at the same address', () => {
  const target = underAttack()
  let stranger: Target
  before(async () => {
    stranger = await openTarget()
  })
  after(() => stranger.stop())

  it('signs with its own keys, so this service refuses its tokens', async () => {
    expect(stranger.application.claims.iss).to.equal(target().application.claims.iss)
    await expectForged(target(), stranger.application.token)
    await expectForged(target(), stranger.user.token)
  })

  it('cannot use our key ids', async () => {
    const { keys } = target()
    const header = JSON.stringify(jwtHeader(keys.application))
    await expectForged(target(), forgeJwt(stranger.keys.application, claimsOf(target()), header))
    const footer = pasetoFooter(keys.user)
    await expectForged(target(), forgePaseto(stranger.keys.user, written(target()), { footer }))
  })
})
