import { expect } from 'chai'
import { isRight } from 'fp-ts/lib/Either.js'
import { SCOPES } from '../../domain/application.ts'
import { KEY_PURPOSES, type SigningKey } from '../../domain/signing-key.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { forgeJwt, forgePaseto } from './forge.ts'
import { MUTATIONS, type Random, seeded } from './mutations.ts'
import { openTarget, type Target } from './target.ts'
import { writtenClaims } from './well-signed.ts'

/** How many mutants are tried, and the seed that says which; to see a failure again, set it. */
const MUTANTS = Number(process.env.MUTANTS ?? 25_000)
const SEED = Number(process.env.MUTANTS_SEED ?? Date.now() % 2 ** 31)

/** Good tokens of each kind, under each key, of all lengths of their parts, and so with every number of bits to spare. */
const originalsOf = (target: Target, keys: ReadonlyArray<SigningKey>): ReadonlyArray<string> => {
  const { application, user } = target
  const jtis = ['', 'a', 'ab', '???>>>', 'é🛒'.repeat(40)]
  const payloads = {
    application: SCOPES.flatMap((scope) => jtis.map((jti) => ({ ...application.claims, scope, jti }))),
    user: jtis.map((jti) => ({ ...writtenClaims(target), jti })),
  }
  const forge = { application: forgeJwt, user: forgePaseto }
  return [
    application.token,
    user.token,
    ...keys.flatMap((key) =>
      payloads[key.purpose].map((claims) => forge[key.purpose](key, JSON.stringify(claims))),
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
    await succeed(service.rotateKeys(CONTEXT, { purposes: KEY_PURPOSES, atOnce: false }))
    target.setClock(1) // from when on the new keys are known
    originals = originalsOf(target, await succeed(service.store.listSigningKeys()))
  })
  after(() => target.stop())

  /** All that a request with this token goes through: both formats, what they remember, the claims, the store. */
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
      if (originals.includes(mutant)) continue // only what is no good token, byte by byte, is a mutant
      made += 1
      yield mutant
    }
  }

  it('begin with tokens that are good, and are remembered as such', async () => {
    expect(originals).to.have.length.above(30)
    expect(await accepted(originals)).to.deep.equal(originals)
    expect(await accepted(originals)).to.deep.equal(originals)
  })

  for (const name of names) {
    it(`are all refused: ${name}`, async () => {
      expect(await accepted(mutantsBy(name)), seed).to.deep.equal([])
    })
  }

  it('leave the good ones as good as they were', async () => {
    expect(await accepted(originals), seed).to.deep.equal(originals)
  })
})
