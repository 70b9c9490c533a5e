import { expect } from 'chai'
import { A_MINUTE, given, TYPES } from './noted-refusals.ts'

describe('refusals of one subject', () => {
  for (const type of TYPES) {
    it(`and of type ${type} are written up to ten times a minute`, async () => {
      const { note, log, background } = given()
      for (let count = 0; count < 11; count += 1) note(type, 'bob')
      await background.settle()
      expect(await log()).to.have.lengthOf(10)
      for (let count = 0; count < 10; count += 1) note(type, 'cleo')
      await background.settle()
      expect(await log()).to.have.lengthOf(20)
    })
  }

  it('include those without a subject', async () => {
    const { note, log, background } = given()
    for (let count = 0; count < 1_000; count += 1) note('SignInRefused', 'none')
    note('SignInRefused', 'ada')
    await background.settle()
    expect(await log()).to.have.lengthOf(11)
    expect((await log()).at(-1))
      .to.have.property('subject')
      .that.deep.equals({ kind: 'user', id: 'ada' })
  })

  it('are written up to ten times again in the next minute', async () => {
    const { note, log, background } = given()
    for (let minute = 0; minute < 2; minute += 1) {
      for (let count = 0; count < 10; count += 1) note('SignInRefused', 'ada')
      await background.passSeconds(A_MINUTE)
    }
    expect(await log()).to.have.lengthOf(20)
  })
})

describe('a summary of refusals', () => {
  const summaryAfter = async (noting: (note: ReturnType<typeof given>['note']) => void) => {
    const { note, background, log } = given()
    noting(note)
    await background.passSeconds(A_MINUTE)
    const last = (await log()).at(-1)
    if (last?.type !== 'RefusalsSummarized') throw new Error('no summary')
    return last.data
  }

  it('contains the reasons and the known subjects, most frequent first', async () => {
    const { count, reasons, subjects } = await summaryAfter((note) => {
      for (let times = 0; times < 12; times += 1) note('ApplicationTokenRefused', 'none')
      for (let times = 0; times < 13; times += 1) note('ApplicationTokenRefused', 'shop')
      for (let times = 0; times < 14; times += 1) note('ApplicationTokenRefused', 'forum')
    })
    expect(count).to.equal(2 + 3 + 4)
    expect(reasons).to.deep.equal([
      { reason: 'wrong_private_key', count: 7 },
      { reason: 'unknown_application', count: 2 },
    ])
    expect(subjects).to.deep.equal([
      { id: 'forum', count: 4 },
      { id: 'shop', count: 3 },
    ])
  })

  it('contains at most ten subjects, and finds the most frequent among ten thousand', async () => {
    const { count, subjects } = await summaryAfter((note) => {
      for (let times = 0; times < 10_000; times += 1) {
        note('SignInRefused', `user-${times}`)
        if (times % 10 === 0) note('SignInRefused', 'ada')
      }
    })
    expect(count).to.equal(11_000 - 60)
    expect(subjects).to.have.lengthOf(10)
    expect(subjects[0]?.id).to.equal('ada')
  })

  it('gives a password change the same reason as the metrics', async () => {
    const { reasons } = await summaryAfter((note) => {
      for (let times = 0; times < 15; times += 1) note('PasswordChangeRefused', 'ada')
    })
    expect(reasons).to.deep.equal([{ reason: 'wrong_password', count: 5 }])
  })
})
