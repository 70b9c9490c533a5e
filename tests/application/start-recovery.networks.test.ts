import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { CONTEXT } from './world.ts'

const HOUR = 3600

describe('startRecovery, given the default limits', () => {
  it('when 600 made-up e-mails came from ten networks, then Ada can still recover', async () => {
    const life = await newAccountLife()
    const startFrom = (network: number, email: string) =>
      life.service.startRecovery({ ...CONTEXT, endUserAddress: `192.0.2.${network}` }, life.deskCaller, {
        email,
      })
    for (let each = 0; each < 600; each += 1)
      await succeed(startFrom(each % 10, `made-up-${each}@example.com`))
    expect((await succeed(startFrom(99, life.ada.email))).account).not.to.deep.equal(none)
  })
})

describe('startRecovery, given the default limit of 600 an hour, of which a network has 60', () => {
  const NETWORK = '192.0.2.1'
  const REFUSED = { _tag: 'Throttled', retryAfterSeconds: HOUR, tooMany: 'recoveries_in_network' }
  let life: AccountLife
  const startFrom = (endUserAddress: string | undefined, email: string) =>
    life.service.startRecovery(
      endUserAddress === undefined ? CONTEXT : { ...CONTEXT, endUserAddress },
      life.deskCaller,
      { email },
    )
  beforeEach(async () => {
    life = await newAccountLife()
  })
  const users = async () => {
    const emails = Array.from({ length: 13 }, (_, each) => `user-${each}@example.com`)
    for (const email of emails)
      await succeed(life.service.registerUser(CONTEXT, { email, password: 'old' }, OPERATOR))
    return emails
  }

  it('when one network started it for 60 real e-mails, then it waits, and all other networks recover', async () => {
    const emails = await users()
    for (let each = 0; each < 60; each += 1)
      expect((await succeed(startFrom(NETWORK, emails[each % 12] ?? ''))).account).not.to.deep.equal(none)
    const last = emails[12] ?? ''
    expect(await fail(startFrom(NETWORK, last))).to.deep.equal(REFUSED)
    for (const network of ['192.0.2.2', '2001.219.0.0.0.0.0.0', undefined])
      expect((await succeed(startFrom(network, last))).account).not.to.deep.equal(none)
    life.clock.passSeconds(HOUR)
    await succeed(startFrom(NETWORK, last))
  })

  it('when 60 starts found no account, then they count like real ones, so that the limit shows no account', async () => {
    for (let each = 0; each < 60; each += 1)
      expect((await succeed(startFrom(NETWORK, `made-up-${each}@example.com`))).account).to.deep.equal(none)
    for (const email of ['another@example.com', life.ada.email])
      expect(await fail(startFrom(NETWORK, email))).to.deep.equal(REFUSED)
  })
})
