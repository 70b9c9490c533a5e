import { expect } from 'chai'
import { onEverySharedStore } from '../support/every-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const SQL = [
  `' OR '1'='1`,
  `'; DROP TABLE users; --`,
  `' UNION SELECT id, email, password_record FROM users --`,
  `" OR ""="`,
  `\\'; DELETE FROM sessions; --`,
  `'||(SELECT password_record FROM users LIMIT 1)||'`,
  '%',
  '_',
  '?1',
  ':email',
  '@id',
  'NULL',
]

/** Valid e-mail addresses with characters that SQL treats specially. */
const ADDRESSES = [
  `'or'1'='1@example.com`,
  `o'hara--@example.com`,
  '%@example.com',
  '_da@example.com',
  '?1@example.com',
]

onEverySharedStore('texts with a meaning in SQL', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(await stores.fresh())
    token = await running.applicationToken()
  })
  after(() => running.stop())

  const post = (path: string, body: object, as: string = token) =>
    running.send({ method: 'POST', path, token: as, body })
  const signIn = (email: string, password: string) => post('/api/v1/auth/user/token', { email, password })

  for (const email of ADDRESSES) {
    it(`are ordinary e-mail addresses: ${email}`, async () => {
      expect((await signIn(email, running.user.password)).status).to.equal(422)
      expect((await post('/api/v1/users', { email, password: 'her own' })).status).to.equal(201)
      expect((await signIn(email, running.user.password)).status).to.equal(422)
      const { body } = await signIn(email, 'her own')
      const profile = await running.send({ method: 'GET', path: '/api/v1/profile', token: body.token })
      expect(profile.body).to.include({ email })
    })
  }

  for (const [index, text] of SQL.entries()) {
    it(`are ordinary passwords: ${text}`, async () => {
      const email = `user-${index}@example.com`
      expect((await post('/api/v1/users', { email, password: text })).status).to.equal(201)
      expect((await signIn(email, 'another')).status).to.equal(422)
      expect((await signIn(email, text)).status).to.equal(200)
    })

    it(`are invalid as e-mail, key or token, and change nothing: ${text}`, async () => {
      expect((await signIn(text, text)).status).to.equal(422)
      expect((await signIn(running.user.email, text)).status).to.equal(422)
      expect((await post('/api/v1/users', { email: text, password: 'pw' })).status).to.equal(422)
      const { public_api_key: known } = running.keys
      for (const public_api_key of [text, `pk_${text}`, `${known}${text}`, known]) {
        const keys = { public_api_key, private_api_key: text }
        expect((await post('/api/v1/auth/application/token', keys)).status).to.equal(401)
      }
      expect((await post('/api/v1/profile', {}, `${token}${text}`)).status).to.equal(401)
      expect((await signIn(running.user.email, running.user.password)).status).to.equal(200)
    })
  }
})
