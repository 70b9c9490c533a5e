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

  it('are those without a subject, too', async () => {
    const { note, log, background } = given()
    for (let count = 0; count < 1_000; count += 1) note('SignInRefused', 'nobody')
    note('SignInRefused', 'ada')
    await background.settle()
    expect(await log()).to.have.lengthOf(11)
    expect((await log()).at(-1))
      .to.have.property('subject')
      .that.deep.equals({ kind: 'user', id: 'ada' })
  })

  it('have ten more in the next minute', async () => {
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
    if (last?.type !== 'RefusalsSummarized' || last.version !== 2) throw new Error('no summary')
    return last.data
  }

  it('tells the reasons, and the subjects that are known, most frequent first', async () => {
    const { count, reasons, subjects } = await summaryAfter((note) => {
      for (let times = 0; times < 12; times += 1) note('ApplicationTokenRefused', 'nobody')
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

  it('tells ten subjects at most, and finds the busiest among ten thousand', async () => {
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

  it('names a password change by its reason in the metrics', async () => {
    const { reasons } = await summaryAfter((note) => {
      for (let times = 0; times < 15; times += 1) note('PasswordChangeRefused', 'ada')
    })
    expect(reasons).to.deep.equal([{ reason: 'wrong_password', count: 5 }])
  })
})
