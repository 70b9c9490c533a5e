import { expect } from 'chai'
import { ahead } from '../support/ahead.ts'
import { processWorkplace } from '../support/command.ts'

const LISTS = ['application list', 'events list --json'] as const

/** Commands that print a secret only once, so lost output is an error. */
const SECRETS = ['application create --name lost --json', 'application rotate ID --json'] as const

const DONE = { status: 0, out: '', err: '' }

const lost = (code: string) =>
  `The output could not be written (${code}). Changes by this command remain in the store.\n`

describe('portcullis if its output cannot be written', () => {
  const { portcullis, remove } = processWorkplace()
  let id = ''
  const unread = ahead([...LISTS, ...SECRETS], (words) =>
    portcullis(words.replace('ID', id), { isRead: false }),
  )
  const full = ahead([...LISTS, ...SECRETS], (words) =>
    portcullis(words.replace('ID', id), { environment: { OUT_TO: '/dev/full' } }),
  )
  before(async () => {
    id = JSON.parse((await portcullis('application create --name shop --json')).out).id
    unread.start()
    full.start()
  })
  after(async () => {
    await Promise.all([unread.allDone(), full.allDone()])
    remove()
  })

  for (const words of LISTS) {
    it(`exits with 0 if the reader of a list stops early: ${words}`, async () => {
      expect(await unread.of(words)).to.deep.equal(DONE)
    })

    it(`exits with 1 if the disk is full: ${words}`, async () => {
      expect(await full.of(words)).to.deep.equal({ status: 1, out: '', err: lost('ENOSPC') })
    })
  }

  for (const words of SECRETS) {
    it(`exits with 1 if a secret is lost: ${words}`, async () => {
      expect(await unread.of(words)).to.deep.equal({ status: 1, out: '', err: lost('EPIPE') })
      expect(await full.of(words)).to.deep.equal({ status: 1, out: '', err: lost('ENOSPC') })
    })
  }

  it('exits with 0 if the reader of a help text stops early', async () => {
    expect(await portcullis('application create --help', { isRead: false })).to.deep.equal(DONE)
    expect(await portcullis('doctor --help', { isRead: false })).to.deep.equal(DONE)
  })

  it('mentions no changes if a help text cannot be written', async () => {
    const { status, err } = await portcullis('application create --help', {
      environment: { OUT_TO: '/dev/full' },
    })
    expect({ status, err }).to.deep.equal({
      status: 1,
      err: 'The output could not be written (ENOSPC).\n',
    })
  })

  it('exits with 1 if the result of doctor is lost', async () => {
    const { status, err } = await portcullis('doctor', { isRead: false }) // cheap hashes fail a check
    expect(status).to.equal(1)
    expect(err).to.include(lost('EPIPE'))
  })
})
