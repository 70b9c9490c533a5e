import { expect } from 'chai'
import type { Application } from '../../domain/application.ts'
import { eventsOf } from '../support/events.ts'
import { onSqlite, type StoreSettings } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { userOf } from '../support/second-factors.ts'
import { type ConsoleHere, FORM, fromConsole, hiddenIn, OPERATOR_NAME, startConsole } from './console-here.ts'

onSqlite('the changes of the console', (stores) => {
  let here: ConsoleHere
  let place: StoreSettings
  const start = async (write = true) => {
    place = await stores.fresh()
    here = await startConsole(place, { write })
    return here.open()
  }
  afterEach(() => here.stop())

  const contents = () => stores.kind.contents(place.DATABASE_URL)
  const stays = async (work: () => Promise<void>) => {
    const before = await contents()
    await work()
    expect(await contents()).to.deep.equal(before)
  }
  /** The form of each change, as a page of the console has it. */
  const forms = async () => {
    const found = await succeed(
      here.operations.store.listRows({ table: 'applications', after: '', limit: 1 }),
    )
    const [{ keyId: key } = { keyId: '' }] = found as ReadonlyArray<Application>
    return [
      ...['disable', 'enable', 'end-sessions', 'reset-factors', 'remove'].map((action) => ({
        action,
        id: here.user,
      })),
      ...['rotate', 'revoke'].map((action) => ({ action, id: here.application, key })),
    ]
  }

  const OF_OTHERS: Readonly<Record<string, (origin: string) => Record<string, string>>> = {
    'no header of a browser': () => ({}),
    'no Origin': () => ({ 'sec-fetch-site': 'same-origin' }),
    'no Sec-Fetch-Site': (origin) => ({ origin }),
    'the headers of another port': (origin) => ({ origin: `${origin}1`, 'sec-fetch-site': 'same-site' }),
    'the headers of another site': () => ({ origin: 'http://a.example', 'sec-fetch-site': 'cross-site' }),
    'Sec-Fetch-Site none': (origin) => ({ origin, 'sec-fetch-site': 'none' }),
    'Sec-Fetch-Site same-site': (origin) => ({ origin, 'sec-fetch-site': 'same-site' }),
    'Sec-Fetch-Site in capitals': (origin) => ({ origin, 'sec-fetch-site': 'Same-Origin' }),
    'two values of Sec-Fetch-Site': (origin) => ({ origin, 'sec-fetch-site': 'cross-site, same-origin' }),
    'no origin of a page': () => fromConsole('null'),
    'the Origin of another port': () => fromConsole('http://127.0.0.1:9'),
    'the Origin of another name': (origin) => fromConsole(origin.replace('127.0.0.1', 'localhost')),
    'an Origin without the port': () => fromConsole('http://127.0.0.1'),
    'an Origin over TLS': (origin) => fromConsole(origin.replace('http', 'https')),
    'an Origin that only begins so': (origin) => fromConsole(`${origin}.a.example`),
  }
  it('are refused to forms from elsewhere, although they bring the cookie', async () => {
    const { cookie } = await start()
    await stays(async () => {
      for (const [name, headersOf] of Object.entries(OF_OTHERS))
        for (const form of [...(await forms()), { action: 'check' }]) {
          const path = `${here.path}/${form.action === 'check' ? 'check' : 'change'}`
          const headers = { cookie, ...FORM, ...headersOf(here.origin) }
          const body = new URLSearchParams(form).toString()
          const answer = await here.send({ method: 'POST', path, headers, body })
          expect(answer.status, `${name}: ${form.action}`).to.equal(403)
          expect(answer.body).to.include('The form came from another page')
        }
    })
  })

  it('need POST and a form', async () => {
    const { cookie, get, post } = await start()
    await stays(async () => {
      for (const form of await forms()) {
        const body = new URLSearchParams(form).toString()
        for (const path of ['change', 'confirm']) await get(`${path}?${body}`, fromConsole(here.origin))
        expect((await post('change', form, { 'content-type': 'text/plain' })).status).to.equal(400)
        const headers = { cookie, ...FORM, ...fromConsole(here.origin) }
        for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
          await here.send({
            method,
            path: `${here.path}/change`,
            headers,
            ...(method !== 'HEAD' && { body }),
          })
      }
    })
  })

  it('do not exist without --write: no page offers one, and POST makes nothing but a check', async () => {
    const { get, post } = await start(false)
    const screens = ['today', 'people', `person?id=${here.user}`, 'events', 'applications']
    await stays(async () => {
      for (const form of await forms()) {
        for (const path of ['change', ...screens]) expect((await post(path, form)).status).to.equal(404)
        expect((await get(`confirm?action=${form.action}&id=${form.id}`)).status).to.equal(404)
      }
      for (const path of screens) {
        const { body } = await get(path)
        expect(body, path).to.include('Reads only')
        expect(body).not.to.match(/confirm\?|action="change"/)
        expect(body.replace('<form method="post" action="check">', '')).not.to.match(/<form method="post"/)
      }
      expect((await post('check', {})).headers.location).to.equal('today#checks')
    })
  })

  const DONE: ReadonlyArray<
    readonly [action: string, type: Parameters<typeof eventsOf>[1], status?: string]
  > = [
    ['end-sessions', 'SessionsEnded', 'enabled'],
    ['reset-factors', 'FactorsReset', 'enabled'],
    ['disable', 'UserDisabled', 'disabled'],
    ['enable', 'UserEnabled', 'enabled'],
    ['remove', 'UserRemoved', 'removed'],
    ['revoke', 'ApplicationRevoked'],
  ]
  it('are made by the forms of the console, with the operator as actor in the log', async () => {
    const { get, post } = await start()
    for (const [action, type, status] of DONE) {
      const subject =
        status === undefined ? { kind: 'application', id: here.application } : { kind: 'user', id: here.user }
      const { body } = await get(`confirm?action=${action}&id=${subject.id}`)
      const { status: answered, headers } = await post('change', hiddenIn(body))
      const place = status === undefined ? 'applications?' : `person?id=${here.user}&`
      expect([answered, headers.location]).to.deep.equal([303, `${place}done=${action}`])
      const entries = await eventsOf(here.operations.store, type)
      const actor = { kind: 'operator', id: OPERATOR_NAME }
      expect(entries.map((entry) => [entry.subject, entry.actor])).to.deep.equal([[subject, actor]])
      if (status !== undefined)
        expect((await userOf(here.operations.store, here.user)).status).to.equal(status)
    }
    for (const form of await forms())
      expect((await get(`confirm?action=${form.action}&id=${form.id}`)).status).to.equal(404)
  })

  it('make one key of a form that is sent twice, and show the private key in one answer only', async () => {
    const { get, post } = await start()
    const form = hiddenIn((await get(`confirm?action=rotate&id=${here.application}`)).body)
    const answers = [
      ...(await Promise.all([post('change', form), post('change', form)])),
      await post('change', form),
    ]
    const [made, ...refused] = answers.sort((one, other) => one.status - other.status)
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 409, 409])
    const rotations = await eventsOf(here.operations.store, 'ApplicationKeyRotated')
    expect(rotations.map(({ actor }) => actor)).to.deep.equal([{ kind: 'operator', id: OPERATOR_NAME }])

    const privateKey = /<code>(sk_.*?)<\/code>/.exec(made?.body)?.[1] ?? ''
    expect(privateKey).to.match(/^sk_.{20}/)
    const screens = await Promise.all(['today', 'people', 'events', 'applications'].map((path) => get(path)))
    const elsewhere = JSON.stringify([made?.headers, refused, here.lines, await contents(), screens])
    expect(elsewhere).not.to.include(privateKey)
  })
})

onSqlite('the end of an idle console', (stores) => {
  let here: ConsoleHere
  afterEach(() => here.stop())

  it('comes after 30 minutes. The operator puts it off, and nothing else does', async () => {
    here = await startConsole(await stores.fresh(), { write: true })
    expect(here.idle()).to.deep.equal({ starts: 1, running: [30 * 60_000] })
    const { cookie, get, post } = await here.open()
    const refreshes: Array<string> = []
    for (const path of ['today', 'events?follow=on', 'events?follow=on&user=a&user=b'])
      refreshes.push(String((await get(path)).headers.refresh).replace(/.*url=/, ''))
    const used = [
      () => get('today'),
      () => get('unknown'),
      () => post('check', {}),
      () => post('change', { action: 'disable', id: 'unknown' }),
    ]
    const unused = [
      ...refreshes.map((path) => () => get(path)),
      () => get('today', { cookie: '' }),
      () => get('today', { host: 'rebound.example' }),
      () => post('check', {}, { origin: 'http://a.example' }),
      () => here.send({ method: 'GET', path: here.target }),
      () => here.send({ method: 'GET', path: here.target, headers: { cookie } }),
      () => here.send({ method: 'DELETE', path: `${here.path}/today`, headers: { cookie } }),
    ]
    for (const request of [...used, ...unused]) {
      const { starts } = here.idle()
      await request()
      const expected = { starts: starts + (used.includes(request) ? 1 : 0), running: [30 * 60_000] }
      expect(here.idle(), String(request)).to.deep.equal(expected)
    }
    expect(here.pass()).to.equal(1)
  })
})
