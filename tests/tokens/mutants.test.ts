import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { SCOPES } from '../../domain/application.ts'
import { ACCEPTED_PURPOSES, type SigningKey } from '../../domain/signing-key.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { forgeJwt, forgePaseto } from './forge.ts'
import { MUTATIONS, type Random, seeded } from './mutations.ts'
import { openTarget, type Target } from './target.ts'
import { writtenClaims } from './well-signed.ts'

/** How many mutants are tried, and the seed that says which; to see a failure again, set it. */
const MUTANTS = Number(process.env.MUTANTS ?? 10_000)
const SEED = Number(process.env.MUTANTS_SEED ?? Date.now() % 2 ** 31)

/** Good tokens of each kind and key, with parts of all lengths and so with every number of unused bits. */
const originalsOf = (target: Target, keys: ReadonlyArray<SigningKey>): ReadonlyArray<string> => {
  const { application, user, user_jwt } = target
  const jtis = ['', 'a', 'ab', '???>>>', 'é🛒'.repeat(40)]
  const payloads = {
    application: SCOPES.flatMap((scope) => jtis.map((jti) => ({ ...application.claims, scope, jti }))),
    user: jtis.map((jti) => ({ ...writtenClaims(target), jti })),
    user_jwt: jtis.map((jti) => ({ ...user_jwt.claims, jti })),
  }
  const forge = { application: forgeJwt, user: forgePaseto, user_jwt: forgeJwt }
  return [
    application.token,
    user.token,
    user_jwt.token,
    ...ACCEPTED_PURPOSES.flatMap((purpose) =>
      keys
        .filter((key) => key.purpose === purpose)
        .flatMap((key) => payloads[purpose].map((claims) => forge[purpose](key, JSON.stringify(claims)))),
    ),
  ]
}

describe(`${MUTANTS} mutants of good tokens`, function () {
  this.timeout(300_000)
  this.slow(60_000)
  const seed = `MUTANTS_SEED=${SEED}`
  const random: Random = seeded(SEED)
  let target: Target
  let originals: ReadonlyArray<string>
  before(async () => {
    target = await openTarget()
    const { service } = target.running
    await succeed(service.rotateKeys(CONTEXT, { purposes: ACCEPTED_PURPOSES, atOnce: false }))
    target.setClock(1) // the new keys are known from now on
    originals = originalsOf(target, await succeed(service.store.listSigningKeys()))
  })
  after(() => target.stop())

  /** Every check of a request with this token: both formats, their caches, the claims, the store. */
  const isAccepted = async (token: string): Promise<boolean> => {
    const judged = await target.running.service.authenticate(CONTEXT, 'getProfile', token)()
    return isRight(judged) || judged.left._tag !== 'InvalidToken'
  }

  const accepted = async (tokens: Iterable<string>): Promise<ReadonlyArray<string>> => {
    const good: Array<string> = []
    for (const token of tokens) if (await isAccepted(token)) good.push(token)
    return good
  }

  const names = Object.keys(MUTATIONS)
  const share = Math.ceil(MUTANTS / names.length)

  const mutantsBy = function* (name: string): Iterable<string> {
    const mutate = MUTATIONS[name]
    for (let made = 0; mutate !== undefined && made < share; ) {
      const pick = () => originals[random(originals.length)] ?? ''
      const mutant = mutate(pick(), pick(), random)
      if (originals.includes(mutant)) continue // only a changed token is a mutant
      made += 1
      yield mutant
    }
  }

  it('start from valid, cached tokens', async () => {
    expect(originals).to.have.length.above(30)
    expect(await accepted(originals)).to.deep.equal(originals)
    expect(await accepted(originals)).to.deep.equal(originals)
  })

  for (const name of names) {
    it(`are all refused: ${name}`, async () => {
      expect(await accepted(mutantsBy(name)), seed).to.deep.equal([])
    })
  }

  it('leave the originals valid', async () => {
    expect(await accepted(originals), seed).to.deep.equal(originals)
  })
})
