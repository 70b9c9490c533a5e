import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { zxcvbnEstimator } from '../../adapters/driven/zxcvbn/estimator.ts'
import type { PasswordEstimator } from '../../application/ports/password-strength.ts'
import type { PasswordEstimate } from '../../domain/password-policy.ts'
import { inFolder } from '../sqlite/folder.ts'
import { fail, succeed } from '../support/outcome.ts'

/** A thread that runs this instead of zxcvbn. */
const running = (script: string, timeoutMs?: number): PasswordEstimator =>
  zxcvbnEstimator({
    script: new URL(
      `data:text/javascript,import { parentPort } from 'node:worker_threads';${encodeURIComponent(script)}`,
    ),
    timeoutMs,
  })

const ANSWERS = `parentPort.on('message', ({ id, text }) => {
  if (text === 'throw') throw new TypeError('what was asked was ' + text)
  if (text === 'exit') process.exit(0)
  if (text === 'give up') return parentPort.postMessage({ id })
  if (text !== 'be silent') parentPort.postMessage({ id, estimate: 'strong' })
})`

describe('zxcvbn', () => {
  const estimator = zxcvbnEstimator()
  after(() => estimator.close())

  const ESTIMATES: ReadonlyArray<readonly [text: string, estimate: PasswordEstimate]> = [
    ['123456789012345', 'common'],
    ['Password1234567', 'common'],
    ['P@ssw0rdP@ssw0rd', 'common'],
    ['drowssapdrowssap', 'common'],
    ['iloveyouiloveyou', 'common'],
    ['qwertyuiopasdfgh', 'common'],
    ['manchesterunited', 'common'],
    ['monday tuesday wednesday', 'common'],
    ['letmeinletmein123', 'common'],
    ['abcdefghijklmnop', 'guessable'],
    ['aaaaaaaaaaaaaaab', 'guessable'],
    ['x7x7x7x7x7x7x7x7x7', 'guessable'],
    ['(!)(!)(!)(!)(!)(!)', 'guessable'],
    ['correct horse battery', 'strong'],
    ['nine purple otters sing', 'strong'],
    ['9dKq2vTz8LmXw4R', 'strong'],
    ['constructor of gravel roads', 'strong'], // a name that every object of JavaScript has
    ['__proto__ of gravel roads', 'strong'],
    [`${'x'.repeat(64)}9dKq2vTz8LmXw4R`, 'guessable'], // judged by its beginning
    [`9dKq2vTz8LmXw4R${'x'.repeat(16_000)}`, 'strong'],
  ]
  for (const [text, estimate] of ESTIMATES) {
    it(`calls ${text.length > 80 ? `${text.slice(0, 80)}…` : text} ${estimate}`, async () => {
      expect(await succeed(estimator.estimate(text))).to.equal(estimate)
    })
  }

  it('calls all random passwords strong that a first run makes', async () => {
    for (let made = 0; made < 30; made += 1) {
      const password = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join('')
      expect(await succeed(estimator.estimate(password)), password).to.equal('strong')
    }
  })

  it('lets other things happen while it works', async () => {
    const fresh = zxcvbnEstimator() // the first estimate takes longest: all words are loaded for it
    let turns = 0
    let isEstimating = true
    const estimated = succeed(fresh.estimate('4@8({[</\\361!|0$5+7%2'.repeat(800))).finally(() => {
      isEstimating = false
    })
    while (isEstimating) {
      turns += 1
      await new Promise(setImmediate)
    }
    await estimated
    await fresh.close()
    expect(turns).to.be.greaterThan(20)
  })

  it(
    'keeps no process alive that has its estimates, and lets none end before',
    inFolder(async (folder) => {
      const script = join(folder, 'one-estimate.mjs')
      await writeFile(
        script,
        `import { zxcvbnEstimator } from '${import.meta.resolve('../../adapters/driven/zxcvbn/estimator.js')}'
         const { estimate } = zxcvbnEstimator()
         const tell = (text) => estimate(text)().then(({ right }) => console.log(right))
         tell('passwordpassword').then(() => tell('abcdefghijklmnop'))`,
      )
      const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 15_000 })
      expect(stdout).to.equal('common\nguessable\n')
    }),
  )
})

describe('the thread of an estimator', () => {
  for (const [what, text, reason] of [
    ['throws', 'throw', 'the estimator failed (TypeError)'],
    ['ends', 'exit', 'the estimator ended'],
  ] as const) {
    it(`when it ${what}, then all who wait are told without a secret, and another one begins`, async () => {
      const estimator = running(ANSWERS)
      const asked = ['be silent', text, 'behind it'].map((each) => estimator.estimate(each)())
      for (const outcome of await Promise.all(asked)) {
        expect(outcome).to.deep.equal(left({ _tag: 'PasswordCheckUnavailable', reason }))
      }
      expect(await succeed(estimator.estimate('again'))).to.equal('strong')
      await estimator.close()
    })
  }

  it('when it hangs, then who waits is told, and the next estimate is made by another', async () => {
    const estimator = running(ANSWERS, 300)
    const silent = [estimator.estimate('be silent')(), estimator.estimate('be silent')()]
    const ended = left({ _tag: 'PasswordCheckUnavailable', reason: 'the estimator ended' })
    expect(await Promise.all(silent)).to.deep.equal([ended, ended])
    expect(await succeed(estimator.estimate('x'))).to.equal('strong')
    await estimator.close()
  })

  it('when it gives one text up, then only who asked for that is told', async () => {
    const estimator = running(ANSWERS)
    const asked = ['before it', 'give up', 'behind it'].map((each) => estimator.estimate(each)())
    expect(await Promise.all(asked)).to.deep.equal([
      right('strong'),
      left({ _tag: 'PasswordCheckUnavailable', reason: 'the estimator failed' }),
      right('strong'),
    ])
    await estimator.close()
  })

  it('when it cannot begin, then that is said each time', async () => {
    const estimator = running('throw new RangeError()')
    for (const text of ['one', 'another']) {
      expect(await fail(estimator.estimate(text))).to.deep.equal({
        _tag: 'PasswordCheckUnavailable',
        reason: 'the estimator failed (RangeError)',
      })
    }
  })

  it('when 32 wait, then it takes no more; and who waits when it is closed is told so', async () => {
    const estimator = running(ANSWERS)
    const waiting = Array.from({ length: 32 }, () => estimator.estimate('be silent')())
    expect(await estimator.estimate('one more')()).to.deep.equal(
      left({ _tag: 'Overloaded', retryAfterSeconds: 1 }),
    )
    await estimator.close()
    for (const outcome of await Promise.all(waiting)) {
      expect(outcome).to.deep.equal(left({ _tag: 'PasswordCheckUnavailable', reason: 'the estimator ended' }))
    }
  })

  it('when some have their answers, then it takes others', async () => {
    const estimator = running(ANSWERS)
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 32 }, () => estimator.estimate('any')()))
      for (const outcome of outcomes) expect(outcome).to.deep.equal(right('strong'))
    }
    await estimator.close()
  })
})
