import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { eventsOf } from '../support/events.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { codesOf } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'
import { claimsOf } from '../support/token-claims.ts'
import { startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

const OWN = '/api/v1/profile/attributes'
const OF_USERS = '/api/v1/users/attributes'
const PROFILE = '/api/v1/profile'
const NAME = 'must have 1 to 100 printable characters.'

/** Each code of a user's own attributes. Those of an application are two higher. */
const CODES: ReadonlyArray<readonly [body: object, code: number, param: string, message: string]> = [
  [{ name: 7 }, 1, 'name', `name ${NAME}`],
  [{ given_name: 'a\nb' }, 2, 'given_name', `given_name ${NAME}`],
  [{ family_name: [] }, 3, 'family_name', `family_name ${NAME}`],
  [
    { picture: 'http://example.com/ada.png' },
    4,
    'picture',
    'picture must be an https URL with at most 1000 printable ASCII characters.',
  ],
  [{ locale: 'en_GB' }, 5, 'locale', 'locale must be a language tag such as de-CH.'],
  [{ zoneinfo: false }, 6, 'zoneinfo', 'zoneinfo must be a time zone such as Europe/Zurich.'],
  [
    { metadata: { tags: ['a'] } },
    7,
    'metadata',
    'metadata must be an object of booleans, numbers and texts of at most 500 characters, with names such as shoe_size.',
  ],
  [
    { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`m${index}`, 1])) },
    8,
    'metadata',
    'metadata must have at most 20 members and 2048 bytes.',
  ],
  [{}, 9, 'name', 'The request has no attribute.'],
]

onMemory('attributes', (stores) => {
  const { log, lines } = capturedLog()
  let running: RunningService
  let token: string
  let editor: string
  before(async () => {
    const { environment, modules } = await stores.lasting()
    running = await startService(
      environment,
      ...modules,
      provide(Dependency.log, () => log),
    )
    token = await running.userToken()
    editor = await scopedToken(running, 'users:attributes')
  })
  after(() => running.stop())

  const post = (path: string, of: string, body: object) =>
    running.send({ method: 'POST', path, token: of, body })
  const own = (body: object) => post(OWN, token, body)
  const ofUser = (body: object) => post(OF_USERS, editor, { user_id: running.user.id, ...body })
  const profile = async () => (await running.send({ method: 'GET', path: PROFILE, token })).body
  const errorsOf = (answer: Awaited<ReturnType<typeof own>>) => [answer.status, answer.body.errors]

  for (const [body, code, param, message] of CODES)
    it(`have code ${code} for a user and ${code + 2} for an application: ${param}`, async () => {
      expect(errorsOf(await own(body))).to.deep.equal([422, [{ code, message, param }]])
      expect(errorsOf(await ofUser(body))).to.deep.equal([422, [{ code: code + 2, message, param }]])
    })

  it('have the codes of all fields together, also of the user', async () => {
    const bad = { metadata: 1, zoneinfo: 1, locale: 1, picture: 1, family_name: 1, given_name: 1, name: 1 }
    const codesIn = async (answer: ReturnType<typeof own>) =>
      (await answer).body.errors.map(({ code }: { code: number }) => code)
    expect(await codesIn(own(bad))).to.deep.equal([1, 2, 3, 4, 5, 6, 7])
    expect(await codesIn(post(OF_USERS, editor, bad))).to.deep.equal([1, 3, 4, 5, 6, 7, 8, 9])
    expect(await codesIn(ofUser({ ...bad, user_id: 'unknown' }))).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9])
    expect(await codesIn(ofUser({ user_id: running.user.email }))).to.deep.equal([2, 11])
    expect(await codesIn(ofUser({ user_id: null, name: 'Ada' }))).to.deep.equal([1])
  })

  it('need a user token, or an application with users:attributes', async () => {
    for (const [path, wrong] of [
      [OWN, editor],
      [OF_USERS, token],
      [OF_USERS, await running.applicationToken()],
      [OF_USERS, await scopedToken(running, 'users:manage users:read users:register users:recover')],
    ] as const)
      expect((await post(path, wrong, { name: 'Eve' })).status).to.equal(403)
    for (const path of [OWN, OF_USERS])
      expect((await running.send({ method: 'POST', path, body: { name: 'Eve' } })).status).to.equal(401)
    expect(await profile()).to.have.all.keys('email', 'id', 'email_verified', 'roles')
  })

  it('are merged: absent ones stay, null and an empty text remove', async () => {
    const set = await own({
      name: 'Ada Lovelace',
      locale: 'en-GB',
      metadata: { tier: 'gold', size: 38, ok: true },
    })
    expect([set.status, set.body]).to.deep.equal([
      200,
      { name: 'Ada Lovelace', locale: 'en-GB', metadata: { ok: true, size: 38, tier: 'gold' } },
    ])
    const changed = await ofUser({ locale: null, given_name: 'Ada', metadata: { tier: null, size: 39.5 } })
    const merged = { name: 'Ada Lovelace', given_name: 'Ada', metadata: { ok: true, size: 39.5 } }
    expect([changed.status, changed.body]).to.deep.equal([200, merged])
    expect((await own({ email: 'eve@example.com', metadata: {} })).body).to.deep.equal(merged)
    const identity = { email: running.user.email, id: running.user.id, email_verified: false, roles: [] }
    expect(await profile()).to.deep.equal({ ...identity, ...merged })
    const reader = await scopedToken(running, 'users:read')
    const found = await post('/api/v1/users/search', reader, { email: running.user.email })
    expect(found.body.users[0]).to.deep.include(merged)
    expect((await own({ name: '', given_name: '', metadata: '' })).body).to.deep.equal({})
    expect(await profile()).to.deep.equal(identity)
  })

  it('are in no token and in no answer of a sign-in', async () => {
    await own({ name: 'Ada Lovelace', locale: 'en-GB' })
    const { email, password } = running.user
    const { body } = await post('/api/v1/auth/user/token', await running.applicationToken(), {
      email,
      password,
    })
    expect(JSON.stringify([body, claimsOf(body.token)])).to.not.match(/Lovelace|en-GB/)
  })

  it('have no value in the event log, in the feed and in the log of the service', async () => {
    await own({ family_name: 'Byron-King', metadata: { secret_hobby: 'algebra' } })
    await ofUser({ zoneinfo: 'Europe/London' })
    await own({ picture: 'http://refused.example/ada.png' })
    const [first] = await eventsOf(running.service.store, 'UserAttributesChanged')
    expect(first).to.deep.include({
      subject: { kind: 'user', id: running.user.id },
      actor: { kind: 'user', id: running.user.id },
      data: { fields: ['locale', 'metadata', 'name'] },
    })
    const feed = await running.send({
      method: 'GET',
      path: '/api/v1/events?limit=500',
      token: await scopedToken(running, 'events:read'),
    })
    expect(feed.status).to.equal(200)
    const said = JSON.stringify(feed.body)
    expect(said).to.include('UserAttributesChanged').and.to.include('family_name')
    const VALUE = /Lovelace|Byron|en-GB|London|algebra|secret_hobby|gold|tier|refused\.example/
    for (const text of [said, ...lines]) expect(text).to.not.match(VALUE)
  })

  it('of a removed user are unknown', async () => {
    const manager = await scopedToken(running, 'users:manage')
    await post('/api/v1/users/remove', manager, { user_id: running.user.id })
    expect((await own({ name: 'Late' })).status).to.equal(401)
    expect(errorsOf(await ofUser({ name: 'Late' }))).to.deep.equal([
      422,
      [{ code: 2, message: 'No user has this user_id.', param: 'user_id' }],
    ])
  })
})

const picture = (characters: number) => `https://${'p'.repeat(characters - 'https://'.length)}`

/** A language tag: subtags of eight characters, and a last one. */
const locale = (characters: number) => `de${'-abcdefgh'.repeat(3)}-${'x'.repeat(characters - 30)}`

onMemory('the bounds of attributes', (stores) => {
  let running: ThrottledService
  let token: string
  beforeEach(async () => {
    running = await startThrottled(await stores.fresh())
    token = await running.userToken()
  })
  afterEach(() => running.stop())

  const own = (body: object) => running.send({ method: 'POST', path: OWN, token, body })

  /** Metadata of this many bytes as JSON. */
  const metadata = (bytes: number) => {
    const texts = { a: 'x'.repeat(500), b: 'x'.repeat(500), c: 'x'.repeat(500), d: 'ü'.repeat(200) }
    const rest = bytes - Buffer.byteLength(JSON.stringify({ ...texts, e: '' }))
    return { ...texts, e: 'x'.repeat(rest) }
  }
  const ROWS: ReadonlyArray<readonly [what: string, most: object, tooMuch: object, code: number]> = [
    ['100 characters of name', { name: 'é'.repeat(100) }, { name: 'é'.repeat(101) }, 1],
    ['100 characters of given_name', { given_name: '🙂'.repeat(100) }, { given_name: '🙂'.repeat(101) }, 2],
    ['100 characters of family_name', { family_name: 'x'.repeat(100) }, { family_name: 'x'.repeat(101) }, 3],
    ['1000 characters of picture', { picture: picture(1_000) }, { picture: picture(1_001) }, 4],
    ['35 characters of locale', { locale: locale(35) }, { locale: locale(36) }, 5],
    ['64 characters of zoneinfo', { zoneinfo: 'x'.repeat(64) }, { zoneinfo: 'x'.repeat(65) }, 6],
    [
      '500 characters of a member',
      { metadata: { a: 'x'.repeat(500) } },
      { metadata: { a: 'x'.repeat(501) } },
      7,
    ],
    [
      '40 characters of a member name',
      { metadata: { ['a'.repeat(40)]: 1 } },
      { metadata: { ['a'.repeat(41)]: 1 } },
      7,
    ],
    ['2048 bytes of metadata', { metadata: metadata(2_048) }, { metadata: metadata(2_049) }, 8],
  ]
  for (const [what, most, tooMuch, code] of ROWS)
    it(`are ${what}`, async () => {
      const refused = await own(tooMuch)
      expect([refused.status, codesOf(refused.body)]).to.deep.equal([422, [[code, Object.keys(tooMuch)[0]]]])
      const accepted = await own(most)
      expect([accepted.status, accepted.body]).to.deep.equal([200, most])
      const { body } = await running.send({ method: 'GET', path: PROFILE, token })
      expect(body).to.deep.include(most)
    })

  it('are those of metadata after the change, where null and an empty text remove a member', async () => {
    expect((await own({ metadata: metadata(2_048) })).status).to.equal(200)
    expect(codesOf((await own({ metadata: { f: 1 } })).body)).to.deep.equal([[8, 'metadata']])
    const { body } = await own({ metadata: { a: null, b: '', f: '' } })
    expect(Object.keys(body.metadata)).to.deep.equal(['c', 'd', 'e'])
    expect((await own({ metadata: { f: 1, g: null } })).body.metadata).to.include({ f: 1 })
    expect((await own({ metadata: { c: '', d: null, e: '', f: null } })).body).to.deep.equal({})
  })

  it('are 600 own changes an hour; then the answer is 429 with Retry-After, and an application can change them', async () => {
    for (let each = 0; each < 600; each += 1) expect((await own({ metadata: { each } })).status).to.equal(200)
    running.clock.passSeconds(600)
    const refused = await own({ name: 'Ada' })
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '3000'])
    expect(refused.body.message).to.match(/^Too many changes of attributes were made/)
    expect((await own({ name: 7 })).status).to.equal(422)
    expect((await own({ metadata: { each: 599 } })).status).to.equal(200)
    const editor = await scopedToken(running, 'users:attributes')
    const body = { user_id: running.user.id, locale: 'en' }
    expect((await running.send({ method: 'POST', path: OF_USERS, token: editor, body })).status).to.equal(200)
    running.clock.passSeconds(3_000)
    const last = await own({ name: 'Ada' })
    expect(last.body).to.deep.equal({ name: 'Ada', locale: 'en', metadata: { each: 599 } })
  })
})

onEverySharedStore('attributes on two instances', (stores) => {
  let both: TwoInstances
  before(async () => {
    both = await startTwoInstances({ url: (await stores.fresh()).DATABASE_URL })
  })
  after(() => both.stop())

  it('that change at once are all kept', async () => {
    const token = await both.one.userToken()
    const editor = await scopedToken(both.one, 'users:attributes')
    const bodies: ReadonlyArray<object> = [
      { name: 'Ada' },
      { given_name: 'Ada' },
      { family_name: 'Lovelace' },
      { locale: 'en' },
      { zoneinfo: 'UTC' },
      { metadata: { a: 1 } },
      { metadata: { b: 2 } },
      { metadata: { c: 3 } },
    ]
    const answers = await Promise.all(
      bodies.map((body, index) => {
        const { send } = index % 2 === 0 ? both.one : both.other
        return index % 4 < 2
          ? send({ method: 'POST', path: OWN, token, body })
          : send({
              method: 'POST',
              path: OF_USERS,
              token: editor,
              body: { user_id: both.one.user.id, ...body },
            })
      }),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal(bodies.map(() => 200))
    const { body } = await both.other.send({ method: 'GET', path: PROFILE, token })
    expect(body).to.deep.include({
      name: 'Ada',
      given_name: 'Ada',
      family_name: 'Lovelace',
      locale: 'en',
      zoneinfo: 'UTC',
      metadata: { a: 1, b: 2, c: 3 },
    })
  })
})
