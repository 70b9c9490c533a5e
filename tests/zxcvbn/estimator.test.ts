import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { zxcvbnEstimator } from '../../adapters/credentials/zxcvbn/estimator.ts'
import type { PasswordEstimator } from '../../application/ports/password-strength.ts'
import type { PasswordEstimate } from '../../domain/password-policy.ts'
import { inFolder } from '../sqlite/folder.ts'
import { fail, succeed } from '../support/outcome.ts'

/** A worker that runs this code instead of zxcvbn. */
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
    ['constructor of gravel roads', 'strong'], // a name that every JavaScript object has
    ['__proto__ of gravel roads', 'strong'],
    [`${'x'.repeat(64)}9dKq2vTz8LmXw4R`, 'guessable'], // only the beginning is analysed
    [`9dKq2vTz8LmXw4R${'x'.repeat(16_000)}`, 'strong'],
  ]
  for (const [text, estimate] of ESTIMATES) {
    it(`rates ${text.length > 80 ? `${text.slice(0, 80)}…` : text} as ${estimate}`, async () => {
      expect(await succeed(estimator.estimate(text))).to.equal(estimate)
    })
  }

  it('rates all random passwords of a first run as strong', async () => {
    for (let made = 0; made < 30; made += 1) {
      const password = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join('')
      expect(await succeed(estimator.estimate(password)), password).to.equal('strong')
    }
  })

  it('does not block the process', async () => {
    const fresh = zxcvbnEstimator() // the first estimate takes longest: it loads all dictionaries
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
    'lets the process exit after its estimates, and not before',
    inFolder(async (folder) => {
      const script = join(folder, 'one-estimate.mjs')
      await writeFile(
        script,
        `import { zxcvbnEstimator } from '${import.meta.resolve('../../adapters/credentials/zxcvbn/estimator.js')}'
         const { estimate } = zxcvbnEstimator()
         const tell = (text) => estimate(text)().then(({ right }) => console.log(right))
         tell('passwordpassword').then(() => tell('abcdefghijklmnop'))`,
      )
      const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 15_000 })
      expect(stdout).to.equal('common\nguessable\n')
    }),
  )
})

describe('the worker of an estimator', () => {
  for (const [what, text, reason] of [
    ['throws', 'throw', 'the estimator failed (TypeError)'],
    ['ends', 'exit', 'the estimator ended'],
  ] as const) {
    it(`that ${what} rejects all waiting estimates without a secret, and is replaced`, async () => {
      const estimator = running(ANSWERS)
      const asked = ['be silent', text, 'behind it'].map((each) => estimator.estimate(each)())
      for (const outcome of await Promise.all(asked)) {
        expect(outcome).to.deep.equal(left({ _tag: 'PasswordCheckUnavailable', reason }))
      }
      expect(await succeed(estimator.estimate('again'))).to.equal('strong')
      await estimator.close()
    })
  }

  it('that hangs rejects the waiting estimate, and is replaced for the next one', async () => {
    const estimator = running(ANSWERS, 300)
    const silent = [estimator.estimate('be silent')(), estimator.estimate('be silent')()]
    const ended = left({ _tag: 'PasswordCheckUnavailable', reason: 'the estimator ended' })
    expect(await Promise.all(silent)).to.deep.equal([ended, ended])
    expect(await succeed(estimator.estimate('x'))).to.equal('strong')
    await estimator.close()
  })

  it('that fails for one text rejects only the estimate of that text', async () => {
    const estimator = running(ANSWERS)
    const asked = ['before it', 'give up', 'behind it'].map((each) => estimator.estimate(each)())
    expect(await Promise.all(asked)).to.deep.equal([
      right('strong'),
      left({ _tag: 'PasswordCheckUnavailable', reason: 'the estimator failed' }),
      right('strong'),
    ])
    await estimator.close()
  })

  it('that cannot start is reported each time', async () => {
    const estimator = running('throw new RangeError()')
    for (const text of ['one', 'another']) {
      expect(await fail(estimator.estimate(text))).to.deep.equal({
        _tag: 'PasswordCheckUnavailable',
        reason: 'the estimator failed (RangeError)',
      })
    }
  })

  it('refuses an estimate while 32 wait, and rejects the waiting ones on close', async () => {
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

  it('accepts new estimates after earlier ones are done', async () => {
    const estimator = running(ANSWERS)
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 32 }, () => estimator.estimate('any')()))
      for (const outcome of outcomes) expect(outcome).to.deep.equal(right('strong'))
    }
    await estimator.close()
  })
})
