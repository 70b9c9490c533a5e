import { expect } from 'chai'
import { jsonLines } from '../support/json-lines.ts'
import { onSqlite } from '../support/one-store.ts'

const OTHER_EPOCH = (now: string, before: string, shared: string) =>
  `The log was restored or renewed: its epoch is now ${now}, not ${before}. Positions may refer to other events. Read from the beginning (--after 0)${shared}.\n`

onSqlite('the cursor of portcullis events list', (stores) => {
  const { portcullis, remove } = stores.workplace()
  before(async () => {
    await portcullis('application create --name shop')
    await portcullis('user create --email ada@example.com --password-stdin', { input: 'secret' })
  })
  after(remove)

  const cursorOf = async (words = ''): Promise<string> => {
    const { status, err } = await portcullis(`events list --json${words}`)
    expect(status).to.equal(0)
    const cursor = /^Continue with --after ([0-9a-f]{8}:\d+)\n$/.exec(err)?.[1]
    expect(cursor, err).not.to.equal(undefined)
    return cursor ?? ''
  }

  it('points after the last entry, and continues from there', async () => {
    const cursor = await cursorOf()
    expect(cursor).to.match(/:2$/)
    const [epoch] = cursor.split(':')
    expect(await cursorOf(` --after ${cursor}`)).to.equal(cursor)
    expect(await cursorOf(' --type ApplicationRegistered')).to.equal(`${epoch}:1`)
    expect(await cursorOf(' --type UserRemoved --after 1')).to.equal(`${epoch}:1`)
    const { out } = await portcullis(`events list --json --after ${epoch}:1`)
    expect(jsonLines(out).map(({ position }) => position)).to.deep.equal([2])
  })

  it('is refused after the end of the log, which only a raw copy can cause', async () => {
    const [epoch] = (await cursorOf()).split(':')
    expect(await portcullis(`events list --after ${epoch}:3`)).to.deep.equal({
      status: 1,
      out: '',
      err: 'The log ends before position 3, so the store was restored from a copy. Run events renew, then read from the beginning (--after 0).\n',
    })
  })

  it('is refused after events renew, with the positions to continue from', async () => {
    const [before] = (await cursorOf()).split(':')
    const renewed = await portcullis('events renew --json')
    expect(renewed.status).to.equal(0)
    const { epoch, previous_epoch } = JSON.parse(renewed.out)
    expect(previous_epoch).to.equal(before)

    for (const [position, shared] of [
      [1, 1],
      [2, 2],
      [9, 2],
    ])
      expect(await portcullis(`events list --json --after ${before}:${position}`)).to.deep.equal({
        status: 1,
        out: '',
        err: OTHER_EPOCH(
          epoch,
          String(before),
          ` or from the last shared position (--after ${epoch}:${shared})`,
        ),
      })
    expect(await portcullis('events list --after 00000000:1')).to.deep.equal({
      status: 1,
      out: '',
      err: OTHER_EPOCH(epoch, '00000000', ''),
    })
    const [entry, ...more] = jsonLines((await portcullis(`events list --json --after ${epoch}:2`)).out)
    expect(more).to.deep.equal([])
    expect(entry).to.deep.include({
      position: 3,
      type: 'LogRenewed',
      subject: { kind: 'service', id: 'portcullis' },
      actor: { kind: 'operator' },
      data: { previous_origin: before, size: 2 },
    })
  })

  it('accepts a position without an epoch', async () => {
    const { status, out } = await portcullis('events list --json --after 1')
    expect(status).to.equal(0)
    expect(jsonLines(out).map(({ position }) => position)).to.deep.equal([2, 3])
  })
})
