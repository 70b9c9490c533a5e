import assert from 'node:assert/strict'
import { none } from 'fp-ts/lib/Option.js'
import { ok } from '../outcome.ts'
import type { Check } from '../password-hasher.ts'
import { hash, REQUEST, verify } from './steps.ts'

/** What a hasher makes, and what it says to what it did not make. */
export const recordCases = (check: Check): void => {
  check('records of one password differ, and all of them fit', async (hasher) => {
    const records: Array<string> = []
    for (let made = 0; made < 4; made += 1) records.push(await hash(hasher, 'correct horse'))
    assert.equal(new Set(records).size, records.length)
    for (const record of records) assert.equal(await verify(hasher, 'correct horse', record), true)
  })

  check('a hash that is run twice makes two records', async (hasher) => {
    const task = hasher.hash('correct horse', REQUEST)
    const [{ record: one }, { record: other }] = [await ok(task), await ok(task)]
    assert.notEqual(one, other)
    for (const record of [one, other]) assert.equal(await verify(hasher, 'correct horse', record), true)
  })

  check('a record is a text that a store can hold', async (hasher) => {
    for (const password of ['abc', '', 'abc\0', 'Zoë 🦊', 'x'.repeat(16 * 1024)]) {
      const record = await hash(hasher, password)
      assert.ok(typeof record === 'string' && record !== '')
      assert.ok(record.isWellFormed() && !record.includes('\0'))
      assert.ok(record.length <= 4096, 'however long its password is')
    }
  })

  check('a record does not show its password', async (hasher) => {
    const password = 'correct horse battery staple'
    const record = await hash(hasher, password)
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
      const spelling = Buffer.from(password).toString(encoding).slice(0, 36)
      assert.ok(!record.toLowerCase().includes(spelling.toLowerCase()), encoding)
    }
  })

  check('a new record is current', async (hasher) => {
    assert.equal(hasher.assess(await hash(hasher, 'correct horse')), 'current')
  })

  check('no password fits without a record', async (hasher) => {
    for (const password of ['', '\0', 'correct horse', 'undefined', 'x'.repeat(16 * 1024)])
      assert.equal(await ok(hasher.verify(password, none, REQUEST)), false)
  })

  for (const [what, record] of NOBODYS) {
    check(`an invalid record is unreadable: ${what}`, async (hasher) => {
      assert.equal(hasher.assess(record), 'unreadable')
      for (const password of ['correct horse', '', record.toWellFormed().slice(0, 16 * 1024)])
        assert.equal(await verify(hasher, password, record), false)
    })
  }

  for (const [what, spoil] of DAMAGES) {
    check(`no password fits a record that is damaged: ${what}`, async (hasher) => {
      const spoilt = spoil(await hash(hasher, 'correct horse'), await hash(hasher, 'another'))
      assert.equal(await verify(hasher, 'correct horse', spoilt), false)
      assert.ok(['current', 'outdated', 'unreadable'].includes(hasher.assess(spoilt)))
    })
  }
}

const NOBODYS: ReadonlyArray<readonly [what: string, record: string]> = [
  ['nothing', ''],
  ['a space', ' '],
  ['words', 'correct horse'],
  ['separators', '$$$$'],
  ['another hasher’s', '$2b$10$abcdefghijklmnopqrstuv'],
  ['JSON', '{"password":"correct horse"}'],
  ['a NUL', '\0'],
  ['a lone surrogate', '\ud800'],
  ['a megabyte', 'A'.repeat(2 ** 20)],
  ['a megabyte of separators', '$'.repeat(2 ** 20)],
]

const DAMAGES: ReadonlyArray<readonly [what: string, spoil: (record: string, other: string) => string]> = [
  ['its beginning is missing', (record) => record.slice(1)],
  ['its end is missing', (record) => record.slice(0, -4)],
  ['its second half is missing', (record) => record.slice(0, record.length / 2)],
  ['there is something before it', (record) => `x${record}`],
  ['there is something behind it', (record) => `${record}AAAA`],
  ['it is there twice', (record) => record + record],
  ['its end is another record’s', (record, other) => record.slice(0, -16) + other.slice(-16)],
]
