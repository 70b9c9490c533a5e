import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Ended } from '../support/command.ts'
import { inCommon } from '../support/copied-contents.ts'
import { type Answer, httpClient, type TestRequest } from '../support/http-client.ts'
import { jsonLines } from '../support/json-lines.ts'
import type { Contents, Place, StoreKind } from '../support/store-kind.ts'
import { SHARED_STORES } from '../support/stores.ts'
import { type ServingHere, workplace } from '../support/workplace.ts'

const SETTINGS = {
  EVENT_LOG_KEY: `2026:${'e'.repeat(64)}`,
  PUBLIC_URL: 'https://id.example.com',
  THROTTLE_ACCOUNT_FAILURES: '2',
}
const GRACE = { email: 'grace@example.com', password: 'another secret' }
const ADA = { email: 'ada@example.com', password: 'secret' }

for (const from of SHARED_STORES) {
  const to = SHARED_STORES.find((kind) => kind !== from) ?? from
  describe(`portcullis store copy, from ${from.name} to ${to.name}`, function () {
    this.timeout(60_000)
    /** Where DATABASE_URL leads to. */
    let url = ''
    const place = workplace(() => ({ ...SETTINGS, DATABASE_URL: url }))
    const { portcullis, serve } = place
    const places: Array<Place> = []
    let [source, target] = ['', '']
    let keys = { public_api_key: '', private_api_key: '' }
    let tokens = { application: '', user: '' }
    let next = ''
    let seen: ReadonlyArray<string> = []
    let contentsBefore: Contents
    let copied: Ended

    const layOut = async (kind: StoreKind): Promise<string> => {
      const made = await kind.layOut()
      places.push(made)
      return made.url
    }
    const run = async (words: string, input = ''): Promise<string> => {
      const { status, out, err } = await portcullis(words, { input })
      expect(status, `${words}: ${err}`).to.equal(0)
      return out
    }
    const ask = async (service: Pick<ServingHere, 'url'>, sent: TestRequest): Promise<Answer> => {
      const { send, close } = httpClient(service.url)
      try {
        return await send(sent)
      } finally {
        await close()
      }
    }
    const post = (service: ServingHere, path: string, token: string | undefined, body: object) =>
      ask(service, { method: 'POST', path, body, ...(token === undefined ? {} : { token }) })
    const signIn = (service: ServingHere, credentials: object) =>
      post(service, '/api/v1/auth/user/token', tokens.application, credentials)
    const idsOf = ({ body }: Answer): ReadonlyArray<string> => body.map(({ id }: { id: string }) => id)
    const cursorOf = ({ headers }: Answer): string =>
      /<[^?>]*(\?[^>]*)>/.exec(String(headers.link))?.[1] ?? ''

    before(async () => {
      ;[source, target] = [await layOut(from), await layOut(to)]
      url = source
      const scope = 'users:sign_in users:register events:read'
      keys = JSON.parse(
        (await portcullis(['application', 'create', '--name', 'shop', '--scope', scope, '--json'])).out,
      )
      await run(`user create --email ${ADA.email} --password-stdin`, ADA.password)
      await run(`user create --email ${GRACE.email} --password-stdin`, GRACE.password)
      const service = await serve()
      const { body } = await post(service, '/api/v1/auth/application/token', undefined, keys)
      tokens = { application: body.token, user: '' }
      tokens = { ...tokens, user: (await signIn(service, ADA)).body.token }
      for (const password of ['wrong', 'wrong too'])
        expect((await signIn(service, { ...GRACE, password })).status).to.equal(422)
      expect((await signIn(service, GRACE)).status).to.equal(429)
      const page = await ask(service, {
        method: 'GET',
        path: '/api/v1/events?limit=3',
        token: tokens.application,
      })
      ;[seen, next] = [idsOf(page), cursorOf(page)]
      writeFileSync(join(place.folder, 'kept.txt'), await run('events checkpoint'))
      copied = await portcullis(`store copy ${target} --json`)
      contentsBefore = await from.contents(source) // refusals were noted until the copy
      running = service
    })
    let running: ServingHere
    after(async () => {
      await place.remove()
      for (const { remove } of places) await remove()
    })

    it('says what it has copied and what to do, without a password', async () => {
      expect(copied.status, copied.err).to.equal(0)
      const { copy_id, entries, rows, ...named } = JSON.parse(copied.out)
      expect(copy_id).to.match(/^[0-9a-f-]{36}$/)
      expect(entries).to.equal(contentsBefore.log.length)
      expect(rows).to.be.at.least(5)
      expect(Object.keys(named)).to.deep.equal(['from', 'to', 'epoch', 'failure_counts', 'mails'])
      expect(copied.err).to.equal('')
      for (const password of [source, target].flatMap((one) => new URL(one).password || []))
        expect(copied.out).to.not.include(password)
    })

    it('ends a service that runs on the source, which says where the store is', async () => {
      const { status, err } = await running.ended
      expect(status).to.equal(1)
      expect(err).to.match(/The store \S+ has moved to \S+\. Set DATABASE_URL to that store\./)
    })

    it('refuses changes of the source', async () => {
      expect(await from.contents(source)).to.deep.equal(contentsBefore)
      for (const words of [
        'serve',
        'user disable ada@example.com',
        'keys rotate',
        'application revoke shop',
      ]) {
        const { status, err } = await portcullis(words)
        expect(status, words).to.equal(1)
        expect(err).to.match(
          /^The store \S+ has moved to \S+\. Set DATABASE_URL to that store\. If it is lost, run/,
        )
      }
      expect(await from.contents(source)).to.deep.equal(contentsBefore)
    })

    it('lets commands read the source', async () => {
      expect(await run('user list')).to.include('ada@example.com')
      expect(jsonLines(await run('events list --json'))).to.have.lengthOf(contentsBefore.log.length)
      await run('events verify --against kept.txt')
      const { status, out } = await portcullis('doctor')
      expect(status).to.equal(1)
      expect(out).to.match(
        /^WRONG {2}store {8}The store \S+ has moved to \S+\. Set DATABASE_URL to that store\./m,
      )
    })

    it('writes the same log and rows, in the same epoch', async () => {
      expect(inCommon(await to.contents(target))).to.deep.equal(inCommon(contentsBefore))
      const { err: there } = await portcullis('events list', { environment: { DATABASE_URL: target } })
      const { err: here } = await portcullis('events list')
      expect(there).to.equal(here)
    })

    it('keeps tokens, sessions, keys, throttling, cursors and checkpoints', async () => {
      url = target
      const service = await serve()
      try {
        const profile = await ask(service, { method: 'GET', path: '/api/v1/profile', token: tokens.user })
        expect(profile.status).to.equal(200)
        expect((await signIn(service, ADA)).status).to.equal(200)
        expect((await signIn(service, GRACE)).status).to.equal(429)
        const issued = await post(service, '/api/v1/auth/application/token', undefined, keys)
        expect(issued.status).to.equal(200)
        const rest = await ask(service, {
          method: 'GET',
          path: `/api/v1/events${next.replace('limit=3', 'limit=100')}`,
          token: tokens.application,
        })
        expect(rest.status).to.equal(200)
        const all = [...seen, ...idsOf(rest)]
        const logged = jsonLines(await run('events list --json')).map(({ id }) => id)
        expect(logged.slice(0, all.length)).to.deep.equal(all)
        expect(all.length).to.be.greaterThan(contentsBefore.log.length)
        expect(await run('events verify --against kept.txt')).to.include('are unchanged')
      } finally {
        await service.end()
      }
      const { out } = await portcullis('doctor --json')
      const log = JSON.parse(out).checks.filter(({ name }: { name: string }) =>
        ['log', 'history'].includes(name),
      )
      expect(log.map(({ ok }: { ok: boolean }) => ok)).to.deep.equal([true, true])
    })

    it('is done when it is repeated, and refuses another target', async () => {
      url = source
      const again = JSON.parse((await portcullis(`store copy ${target} --json`)).out)
      expect(again.copy_id).to.equal(JSON.parse(copied.out).copy_id)
      const other = await portcullis(`store copy ${await layOut(to)}`)
      expect(other.status).to.equal(1)
      expect(other.err).to.match(/has moved to \S+, and not to \S+\. If that store is lost, run events renew/)
    })

    it('lets events renew open the source again, under another epoch', async () => {
      url = source
      const { epoch, previous_epoch } = JSON.parse(await run('events renew --json'))
      expect(epoch).to.not.equal(previous_epoch)
      await run('user disable ada@example.com')
      const refused = await portcullis(`store copy ${target}`)
      expect([refused.status, refused.err]).to.deep.equal([
        1,
        `The store ${nameOf(target)} cannot be the target: it is not empty. Name an empty store. The source is unchanged.\n`,
      ])
    })
  })
}

const nameOf = (url: string): string =>
  url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : url.replace(/\/\/[^@]*@/, '//')
