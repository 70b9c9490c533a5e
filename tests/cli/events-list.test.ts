import { expect } from 'chai'
import type { NewEntry } from '../../application/ports/store.ts'
import { SERVICE } from '../../domain/event.ts'
import { API_KEY } from '../support/api-keys.ts'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'
import { newId } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const CONTINUE = /^Continue with --after ([0-9a-f]{8}:\d+)\n$/

onSqlite('portcullis events list', (stores) => {
  const { portcullis, withStore, remove } = stores.workplace()
  before(async () => {
    await portcullis('application create --name shop')
    await portcullis('user create --email ada@example.com --password-stdin', { input: 'secret' })
    await portcullis('user create --email bob@example.com --password-stdin', { input: 'secret' })
  })
  after(remove)

  const list = async (words = '') => {
    const { status, out, err } = await portcullis(`events list --json${words}`)
    expect(status).to.equal(0)
    expect(err).to.match(CONTINUE)
    return jsonLines(out)
  }

  it('prints one JSON object a line, oldest first, with exactly the documented fields', async () => {
    const entries = await list()
    expect(entries.map(({ position, type }) => [position, type])).to.deep.equal([
      [1, 'ApplicationRegistered'],
      [2, 'UserRegistered'],
      [3, 'UserRegistered'],
    ])
    for (const entry of entries) {
      expect(Object.keys(entry)).to.deep.equal([
        'position',
        'id',
        'type',
        'version',
        'at',
        'subject',
        'actor',
        'data',
      ])
      expect(entry.id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(entry.at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(entry.actor).to.deep.equal({ kind: 'operator' })
    }
  })

  it('lists only entries after a position, and of one type', async () => {
    const [later, last, applications, laterUsers] = await Promise.all([
      list(' --after 1'),
      list(' --after 3'),
      list(' --type ApplicationRegistered'),
      list(' --type UserRegistered --after 2'),
    ])
    const positions = (entries: Awaited<ReturnType<typeof list>>) => entries.map(({ position }) => position)
    expect(positions(later)).to.deep.equal([2, 3])
    expect(positions(last)).to.deep.equal([])
    expect(positions(applications)).to.deep.equal([1])
    expect(positions(laterUsers)).to.deep.equal([3])
  })

  it('prints one line of text per entry without --json', async () => {
    const { out } = await portcullis('events list --after 2')
    expect(out).to.match(
      /^3 {2}\S+Z {2}UserRegistered {2}user \S+ {2}operator {2}- {2}\{"password_digest":"[0-9a-f]{64}","email_verified":false\}\n$/,
    )
  })

  it('prints the actor and the request of a refusal', async () => {
    const refusal: NewEntry = {
      type: 'SignInRefused',
      version: 1,
      id: newId(),
      at: '2026-01-02T03:04:05.678Z',
      actor: { kind: 'application', id: 'shop' },
      subject: SERVICE,
      request_id: 'a-request',
      data: { reason: 'unknown_email' },
    }
    await withStore((store) =>
      commitAll(store, { id: refusal.id, events: [refusal], compared: [], rows: [] }),
    )
    expect((await portcullis('events list --type SignInRefused')).out).to.equal(
      '4  2026-01-02T03:04:05.678Z  SignInRefused  service portcullis  application shop  a-request  {"reason":"unknown_email"}\n',
    )
    expect(await list(' --type SignInRefused')).to.deep.equal([{ position: 4, ...refusal }])
  })

  it('contains no password, e-mail or key', async () => {
    const { out } = await portcullis('events list --json')
    for (const secret of ['secret', 'example.com']) expect(out).not.to.include(secret)
    expect(out).not.to.match(API_KEY)
  })
})
