import { join } from 'node:path'
import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { CAN_SEE_PROCESSES, processesIn, residentMemoryOf } from '../support/processes.ts'
import { riseOf } from './memory-rise.ts'
import { PASSWORD, sendMixed } from './mixed-requests.ts'

const REQUESTS = 50_000
const SAMPLE_EVERY = 500
const USERS = 8

/**
 * The server's limit for old objects, in MB: three times what it needs. Without a limit V8 uses the memory of the
 * machine. On a large one it may postpone collection during the whole test, which looks like a leak.
 */
const HEAP = '--max-old-space-size=96'

/**
 * The allowed rise after the warm-up, in kB: four times the highest measured without a leak (300 to 2,300), and
 * half of a leak of 1 kB a request (18,300).
 *
 * Without a leak, the cache of verified tokens grows. It stores the last 10,000 of a kind, and 50,000 of these
 * requests make 6,000 tokens.
 */
const MOST_RISE = 9_000

/** In kB: far above all measurements, because V8 may postpone collection when memory is plentiful. */
const MOST = 256 * 1024

describe('the memory of a server', function () {
  this.timeout(300_000)
  this.slow(120_000)
  const { folder, portcullis, serve, remove } = processWorkplace()
  let server: Serving | undefined
  after(async () => {
    await server?.end()
    remove()
  })

  it(`is limited, and flat after the warm-up of ${REQUESTS} requests of every kind`, async function () {
    if (!CAN_SEE_PROCESSES) this.skip()
    server = await serve('serve', { LOG_TO: join(folder, 'log'), NODE_OPTIONS: HEAP })
    const [id = 0, ...others] = processesIn(folder)
    expect(others).to.deep.equal([])
    const keys = JSON.parse((await portcullis('application create --name memory --json')).out)
    const emails = Array.from({ length: USERS }, (_, index) => `user${index}@example.com`)
    const made = await Promise.all(
      emails.map((email) => portcullis(`user create --email ${email} --password-stdin`, { input: PASSWORD })),
    )
    expect(made.map(({ status }) => status)).to.deep.equal(emails.map(() => 0))

    const samples: Array<number> = []
    await sendMixed(server.url, keys, emails, REQUESTS, (sent) => {
      if (sent % SAMPLE_EVERY === 0) samples.push(residentMemoryOf(id))
    })
    const shown = `${riseOf(samples)} of ${samples.join(' ')} (kB, every ${SAMPLE_EVERY} requests)`
    expect(Math.max(...samples), shown).to.be.below(MOST)
    expect(riseOf(samples), shown).to.be.below(MOST_RISE)
  })
})

/** Recorded samples in MB at equal distances, except for the last list: its leak keeps an array of 1 kB per request. */
const RECORDED: ReadonlyArray<[what: string, leaks: boolean, megabytes: ReadonlyArray<number>]> = [
  [
    'a server without a leak',
    false,
    [
      85, 98, 98, 112, 112, 112, 113, 114, 115, 116, 117, 116, 116, 116, 119, 119, 119, 119, 120, 120, 121,
      120,
    ],
  ],
  [
    'a server that returns memory on the way',
    false,
    [
      93, 110, 113, 118, 123, 125, 129, 133, 137, 141, 145, 149, 151, 151, 152, 125, 126, 127, 127, 128, 128,
      130,
    ],
  ],
  [
    'a server with a leak',
    true,
    [
      92, 106, 119, 122, 123, 128, 129, 132, 134, 137, 139, 141, 145, 146, 149, 150, 153, 156, 158, 162, 164,
      167,
    ],
  ],
  [
    'another one',
    true,
    [
      97, 111, 123, 126, 127, 130, 132, 134, 137, 139, 142, 146, 149, 150, 152, 156, 160, 162, 163, 164, 168,
      171,
    ],
  ],
  [
    'a server with a leak that returns memory early',
    true,
    [
      97, 120, 140, 160, 165, 170, 172, 143, 145, 147, 149, 151, 153, 155, 157, 159, 161, 163, 165, 167, 169,
      171,
    ],
  ],
]

describe('the leak detection', () => {
  for (const [what, leaks, megabytes] of RECORDED) {
    it(`${leaks ? 'detects' : 'accepts'} ${what}`, () => {
      const rise = riseOf(megabytes.map((sample) => sample * 1024))
      if (leaks) expect(rise).to.be.above(MOST_RISE)
      else expect(rise).to.be.below(MOST_RISE)
    })
  }
})
