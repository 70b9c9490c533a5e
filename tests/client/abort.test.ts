import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import type { Portcullis } from '../../adapters/client/client.ts'
import { turns } from '../support/turns.ts'
import { CALLS } from './calls.ts'
import {
  applicationToken,
  type FaultyServer,
  held,
  heldBody,
  json,
  startFaultyServer,
  success,
  unavailable,
} from './faulty-server.ts'
import { type OwnTime, ownTime } from './own-time.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

/** What a program may abort with. */
const REASONS: ReadonlyArray<unknown> = [new Error('enough'), 'enough', null]

const PAGE = json(200, { users: [{ id: '1' }, { id: '2' }], next: '2' })
const EVENTS = '[]'

describe('an AbortSignal', () => {
  let server: FaultyServer
  let time: OwnTime
  let auth: Portcullis
  let controller: AbortController
  let signal: AbortSignal
  beforeEach(async () => {
    server = await startFaultyServer()
    time = ownTime(() => false)
    auth = timedClient(server, {}, time).auth
    controller = new AbortController()
    signal = controller.signal
  })
  afterEach(() => server.stop())

  /** Expects that the client sends nothing within three minutes. */
  const isSilent = async (): Promise<void> => {
    const sent = [server.seen.length, server.tokenRequests.length]
    for (let minutes = 0; minutes < 3; minutes += 1) {
      time.pass(60_000)
      await turns(10)
    }
    expect([server.seen.length, server.tokenRequests.length]).to.deep.equal(sent)
    expect(time.running(), 'timers that still run').to.deep.equal([])
    expect(getEventListeners(signal, 'abort'), 'listeners that stay').to.deep.equal([])
  }

  for (const { id, send } of CALLS) {
    for (const reason of REASONS)
      it(`that is aborted before ${id} sends nothing, with the reason ${reason}`, async () => {
        controller.abort(reason)
        expect(await thrownBy(send(auth, { signal }))).to.equal(reason)
        await isSilent()
        expect([server.seen, server.tokenRequests]).to.deep.equal([[], []])
      })

    it(`ends ${id} while it waits for the answer, and its connection`, async () => {
      const late = held(json(200, {}))
      server.plays(late.play)
      const thrown = thrownBy(send(auth, { signal }))
      await late.reached
      controller.abort(REASONS[0])
      expect(await thrown).to.equal(REASONS[0])
      await late.gone()
      await isSilent()
    })

    it(`ends ${id} while the answer arrives, and its connection`, async () => {
      const late = heldBody()
      server.plays(late.play)
      const thrown = thrownBy(send(auth, { signal }))
      await late.reached
      controller.abort(REASONS[0])
      expect(await thrown).to.equal(REASONS[0])
      await late.gone()
      await isSilent()
    })

    it(`leaves nothing behind after ${id}`, async () => {
      server.plays(success(id))
      expect(await send(auth, { signal })).to.include({ ok: true })
      await isSilent()
    })
  }

  for (const id of ['searchUsers', 'registerUser', 'signIn']) {
    const send = CALLS.find((call) => call.id === id)?.send
    if (send === undefined) throw new Error(`There is no call of ${id}.`)

    it(`ends ${id} while it waits for an application token`, async () => {
      const late = held(json(200, { token: applicationToken(1) }))
      server.playsTokens(late.play)
      const thrown = thrownBy(send(auth, { signal }))
      await late.reached
      controller.abort(REASONS[0])
      expect(await thrown).to.equal(REASONS[0])
      late.open() // the token is for later calls
      server.plays(PAGE)
      await auth.searchUsers({})
      expect([server.tokenRequests.length, server.seen.length]).to.deep.equal([1, 1])
      await isSilent()
    })
  }

  for (const id of ['getProfile', 'issueOauthToken', 'changePassword'])
    it(`ends ${id} in the pause before a repetition`, async () => {
      server.plays(unavailable('none', '3'), json(200, {}))
      const thrown = thrownBy(Promise.resolve(CALLS.find((call) => call.id === id)?.send(auth, { signal })))
      await time.waits(3000)
      controller.abort(REASONS[0])
      expect(await thrown).to.equal(REASONS[0])
      await isSilent()
      expect(server.seen).to.have.lengthOf(1)
    })

  it('ends a call with a body that ignores signals', async () => {
    const endless = async () =>
      new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/html' } })
    const thrown = thrownBy(timedClient(server, { fetch: endless }, time).auth.getPasswordPolicy({ signal }))
    await turns(5)
    controller.abort(REASONS[0])
    expect(await thrown).to.equal(REASONS[0])
    await isSilent()
  })

  it('that is aborted for one call ends no other one', async () => {
    const late = held(json(200, {}))
    server.plays(late.play, json(200, {}))
    const thrown = thrownBy(auth.getPasswordPolicy({ signal }))
    await late.reached
    const other = auth.getPasswordPolicy({ signal: new AbortController().signal })
    controller.abort(REASONS[0])
    expect(await thrown).to.equal(REASONS[0])
    expect(await other).to.include({ ok: true })
  })

  it('ends users between pages', async () => {
    server.plays(PAGE, PAGE)
    const seen: Array<string> = []
    const thrown = thrownBy(
      (async () => {
        for await (const { id } of auth.users({}, { signal })) {
          seen.push(id)
          if (id === '2') controller.abort(REASONS[0])
        }
      })(),
    )
    expect(await thrown).to.equal(REASONS[0])
    expect(seen).to.deep.equal(['1', '2'])
    await isSilent()
    expect(server.seen).to.have.lengthOf(1)
  })

  for (const [what, answer, next] of [
    ['users while a page is on its way', PAGE, () => auth.users({}, { signal }).next()],
    ['events while the server waits for one', json(200, EVENTS), () => auth.events({}, { signal }).next()],
  ] as const)
    it(`ends ${what}`, async () => {
      const late = held(answer)
      server.plays(late.play)
      const thrown = thrownBy(next())
      await late.reached
      controller.abort(REASONS[0])
      expect(await thrown).to.equal(REASONS[0])
      await late.gone()
      await isSilent()
    })

  it('ends events in the pause of an outage', async () => {
    server.plays(unavailable('none', '3600'))
    const thrown = thrownBy(auth.events({}, { signal }).next())
    await time.waits(3_600_000)
    controller.abort(REASONS[0])
    expect(await thrown).to.equal(REASONS[0])
    await isSilent()
    expect(server.seen).to.have.lengthOf(1)
  })

  it('ends verify while it fetches keys, and only this call', async () => {
    const late = held(json(200, { keys: [] }))
    server.plays(late.play)
    const token = `v4.public.${Buffer.alloc(80).toString('base64url')}.${Buffer.from('{"kid":"1"}').toString('base64url')}`
    const thrown = thrownBy(auth.verify(token, { signal }))
    const other = auth.verify(token)
    await late.reached
    controller.abort(REASONS[0])
    expect(await thrown).to.equal(REASONS[0])
    late.open()
    expect(await other).to.deep.equal({ ok: false, refusal: 'invalid_token' })
    expect(server.seen).to.have.lengthOf(1)
    await isSilent()
  })
})
