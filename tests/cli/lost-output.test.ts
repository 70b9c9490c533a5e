import { expect } from 'chai'
import { ahead } from '../support/ahead.ts'
import { processWorkplace } from '../support/command.ts'

const LISTS = ['application list', 'events list --json'] as const

/** With what is to become of a secret that nobody has seen: it cannot be shown again. */
const SECRETS = ['application create --name lost --json', 'application rotate ID --json'] as const

const lost = (code: string) =>
  `The output could not be written (${code}). Changes by this command remain in the store.\n`

describe('what portcullis prints when it cannot be printed', () => {
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
    it(`is no failure of a list whose reader has seen enough: ${words}`, async () => {
      expect(await unread.of(words)).to.deep.equal({ status: 0, out: '', err: '' })
    })

    it(`is a failure of a list that a full disk does not take: ${words}`, async () => {
      expect(await full.of(words)).to.deep.equal({ status: 1, out: '', err: lost('ENOSPC') })
    })
  }

  for (const words of SECRETS) {
    it(`is a failure where a secret is lost with it: ${words}`, async () => {
      expect(await unread.of(words)).to.deep.equal({ status: 1, out: '', err: lost('EPIPE') })
      expect(await full.of(words)).to.deep.equal({ status: 1, out: '', err: lost('ENOSPC') })
    })
  }

  it('does not make the doctor say that all is well', async () => {
    const { status, err } = await portcullis('doctor', { isRead: false }) // hashes that cost nothing are wrong
    expect(status).to.equal(1)
    expect(err).to.include(lost('EPIPE'))
  })
})
