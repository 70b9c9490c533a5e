import { createHmac, scryptSync } from 'node:crypto'
import { expect } from 'chai'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import { parseRecord, type ScryptCost } from '../../adapters/credentials/scrypt/record.ts'
import type { HashingRequest, RecordState } from '../../application/ports/password-hasher.ts'
import { succeed } from '../support/outcome.ts'
import { kdfsDuring } from './kdfs.ts'

const OLD = { id: 'old', secret: 'o'.repeat(32) }
const NEW = { id: '2026-01_a', secret: 'n'.repeat(64) }
const COST = { logN: 3, r: 8, p: 2 }
const PASSWORD = 'correct horse é 🛒'
const REQUEST: HashingRequest = { share: ['tests'] }

const hasherWith = (peppers: ReadonlyArray<{ id: string; secret: string }> = [], cost: ScryptCost = COST) =>
  scryptPasswordHasher(cost, { concurrency: 1, maxWaitMs: 600_000 }, peppers)

type Hasher = ReturnType<typeof hasherWith>

const hash = async (hasher: Hasher, password = PASSWORD) =>
  (await succeed(hasher.hash(password, REQUEST))).record
const verify = (hasher: Hasher, record: string, password = PASSWORD) =>
  succeed(hasher.verify(password, some(record), REQUEST))

/** Made by the version without peppers, at N=2^4, r=8, p=1. */
const MADE_BEFORE_PEPPERS =
  '1$$c2NyeXB0AAQAAAAIAAAAAUgByL7I+u03xh/NVmDmfSLfXYhzVMbWooqz8qcfwNez1oytIsNVYucdHBv+3kvZkz+WD/fh/lBHlpXLO15b8CMaEce298fEXBhKm3C4XRI0'

describe('a record under a pepper', () => {
  it('contains the id of the first configured pepper', async () => {
    expect(await hash(hasherWith([NEW, OLD]))).to.match(/^1\$2026-01_a\$[A-Za-z0-9+/]{128}$/)
    expect(await hash(hasherWith([OLD, NEW]))).to.match(/^1\$old\$[A-Za-z0-9+/]{128}$/)
    expect(await hash(hasherWith())).to.match(/^1\$\$[A-Za-z0-9+/]{128}$/)
  })

  it('does not contain the secret of the pepper', async () => {
    const record = await hash(hasherWith([NEW]))
    const { kdf = Buffer.of() } = parseRecord(record) ?? {}
    for (const text of [record, Buffer.from(kdf).toString('latin1')]) expect(text).to.not.include(NEW.secret)
  })

  it('is scrypt over the HMAC-SHA-512 of the password with the secret as key', async () => {
    const kdf = Buffer.from(parseRecord(await hash(hasherWith([NEW])))?.kdf ?? [])
    const hmac = createHmac('sha512', Buffer.from(NEW.secret, 'utf8')).update(PASSWORD, 'utf8').digest()
    const options = { N: 2 ** COST.logN, r: COST.r, p: COST.p }
    const derived = scryptSync(hmac, kdf.subarray(16, 48), 64, options)
    const mac = createHmac('sha256', derived.subarray(32)).update(kdf.subarray(0, 64)).digest()
    expect(kdf.subarray(64)).to.deep.equal(mac)
  })

  const MADE_WITH: ReadonlyArray<readonly [string, Hasher]> = [
    ['the pepper for new records', hasherWith([NEW])],
    ['a former pepper', hasherWith([OLD])],
    ['no pepper', hasherWith()],
  ]
  for (const [what, maker] of MADE_WITH) {
    it(`matches its password when made with ${what}, while that pepper is configured`, async () => {
      const record = await hash(maker)
      const hasher = hasherWith([NEW, OLD])
      expect(await verify(hasher, record)).to.equal(true)
      expect(await verify(hasher, record, `${PASSWORD} `)).to.equal(false)
      expect(await verify(maker, record)).to.equal(true)
    })
  }

  const UNFIT: ReadonlyArray<readonly [string, Hasher]> = [
    ['its pepper is not configured', hasherWith([OLD])],
    ['no peppers are configured', hasherWith()],
    ['its pepper has another secret', hasherWith([{ id: NEW.id, secret: 'm'.repeat(64) }, OLD])],
    ['its pepper has another id', hasherWith([{ id: NEW.id.toUpperCase(), secret: NEW.secret }])],
  ]
  for (const [what, hasher] of UNFIT) {
    it(`matches no password when ${what}`, async () => {
      expect(await verify(hasher, await hash(hasherWith([NEW])))).to.equal(false)
    })
  }

  for (const id of ['old', '', 'other', '2026-01_A', ' 2026-01_a']) {
    it(`matches no password when its pepper id is replaced by ${JSON.stringify(id)}`, async () => {
      const renamed = (await hash(hasherWith([NEW]))).replace('$2026-01_a$', `$${id}$`)
      expect(await verify(hasherWith([NEW, OLD]), renamed)).to.equal(false)
    })
  }
})

describe('a record of the version without peppers', () => {
  for (const [what, hasher] of [
    ['without peppers', hasherWith()],
    ['with peppers', hasherWith([NEW, OLD])],
  ] as const) {
    it(`matches its password ${what}`, async () => {
      expect(await verify(hasher, MADE_BEFORE_PEPPERS)).to.equal(true)
      expect(await verify(hasher, MADE_BEFORE_PEPPERS, 'correct horse')).to.equal(false)
    })
  }

  it('has a readable cost', () => {
    expect(parseRecord(MADE_BEFORE_PEPPERS)).to.deep.include({ pepperId: '', cost: { logN: 4, r: 8, p: 1 } })
  })
})

describe('a verification', () => {
  const costing = async (...peppers: ReadonlyArray<typeof NEW>) =>
    hash(hasherWith(peppers, { logN: 1, r: 2, p: 1 }))
  const NO_FIT: ReadonlyArray<readonly [string, () => Promise<Option<string>>]> = [
    ['it is missing', async () => none],
    ['it is empty', async () => some('')],
    ['it is damaged', async () => some((await costing(NEW)).replace(/.{4}$/, ''))],
    ['its pepper is not configured', async () => some(await costing(OLD))],
    ['it has another scheme', async () => some((await costing(NEW)).replace(/^1/, '2'))],
  ]
  for (const [what, stored] of NO_FIT) {
    for (const [which, hasher] of [
      ['a pepper', hasherWith([NEW])],
      ['none', hasherWith([])],
    ] as const) {
      it(`uses one common record at the current cost when ${what} (${which} is set)`, async () => {
        const record = await stored()
        const given = await kdfsDuring(() => succeed(hasher.verify(PASSWORD, record, REQUEST)))
        const again = await kdfsDuring(() => succeed(hasher.verify('other', none, REQUEST)))
        expect(given.map(({ cost }) => cost)).to.deep.equal([COST])
        expect(given[0]?.kdf).to.equal(again[0]?.kdf)
        expect(given[0]?.passphraseBytes).to.equal(64)
      })
    }
  }

  it('uses the record itself at its own cost when it is readable', async () => {
    const record = await costing(NEW)
    const given = await kdfsDuring(() => verify(hasherWith([NEW]), record))
    expect(given.map(({ kdf, cost }) => [kdf, cost])).to.deep.equal([
      [record.split('$')[2], { logN: 1, r: 2, p: 1 }],
    ])
  })
})

describe('the state of a record', () => {
  const worth = (hasher: Hasher, record: string): RecordState => hasher.assess(record)
  const made = (peppers: ReadonlyArray<typeof NEW>, cost: ScryptCost = COST) =>
    hash(hasherWith(peppers, cost))

  const WORTH: ReadonlyArray<
    readonly [what: string, record: () => Promise<string>, hasher: Hasher, state: RecordState]
  > = [
    ['made with the current settings', () => made([NEW]), hasherWith([NEW]), 'current'],
    ['made with the current settings without a pepper', () => made([]), hasherWith(), 'current'],
    ['made with a former pepper', () => made([OLD]), hasherWith([NEW, OLD]), 'outdated'],
    ['made without a pepper, with one configured', () => made([]), hasherWith([NEW]), 'outdated'],
    [
      'made by the version without peppers, with none configured',
      async () => MADE_BEFORE_PEPPERS,
      hasherWith(),
      'current',
    ],
    [
      'made by the version without peppers, with one configured',
      async () => MADE_BEFORE_PEPPERS,
      hasherWith([NEW]),
      'outdated',
    ],
    ['made with a pepper, with none configured', () => made([NEW]), hasherWith(), 'unreadable'],
    ['made with an unknown pepper', () => made([OLD]), hasherWith([NEW]), 'unreadable'],
    ['with a lower N', () => made([NEW], { ...COST, logN: 2 }), hasherWith([NEW]), 'outdated'],
    ['with a lower r', () => made([NEW], { ...COST, r: 7 }), hasherWith([NEW]), 'outdated'],
    ['with a lower p', () => made([NEW], { ...COST, p: 1 }), hasherWith([NEW]), 'outdated'],
    ['with a higher N', () => made([NEW], { ...COST, logN: 4 }), hasherWith([NEW]), 'current'],
    ['with a higher r', () => made([NEW], { ...COST, r: 9 }), hasherWith([NEW]), 'current'],
    ['with a higher p', () => made([NEW], { ...COST, p: 3 }), hasherWith([NEW]), 'current'],
    [
      'with the same work in other parameters',
      () => made([NEW], { logN: 4, r: 8, p: 1 }),
      hasherWith([NEW]),
      'current',
    ],
    [
      'with a higher cost and a former pepper',
      () => made([OLD], { ...COST, logN: 4 }),
      hasherWith([NEW, OLD]),
      'outdated',
    ],
    ['nothing', async () => '', hasherWith(), 'unreadable'],
    ['a word', async () => 'correct horse', hasherWith(), 'unreadable'],
    ['cut off', async () => (await made([])).slice(0, -4), hasherWith(), 'unreadable'],
    ['too long', async () => `${await made([])}AAAA`, hasherWith(), 'unreadable'],
    ['with another scheme', async () => (await made([])).replace(/^1/, '2'), hasherWith(), 'unreadable'],
    [
      'with a changed salt',
      async () => (await made([])).replace(/^(1\$\$.{30})(.)/, otherCharacter),
      hasherWith(),
      'unreadable',
    ],
  ]
  for (const [what, record, hasher, state] of WORTH) {
    it(`is ${state}: ${what}`, async () => {
      expect(worth(hasher, await record())).to.equal(state)
    })
  }

  it('is current again after rehashing', async () => {
    const hasher = hasherWith([NEW, OLD])
    const before = await made([OLD])
    expect(worth(hasher, before)).to.equal('outdated')
    expect(worth(hasher, await hash(hasher))).to.equal('current')
  })
})

function otherCharacter(_: string, before: string, character: string): string {
  return before + (character === 'A' ? 'B' : 'A')
}
