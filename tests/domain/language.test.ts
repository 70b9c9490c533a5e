import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { lookUpLanguage } from '../../domain/language.ts'
import { withoutIo } from './no-io.ts'

describe('the lookup of a language', () => {
  withoutIo()

  const AVAILABLE = ['en', 'de', 'pt-BR', 'zh-Hant']
  const CASES: ReadonlyArray<readonly [wishes: ReadonlyArray<string>, found: string | undefined]> = [
    [['de'], 'de'],
    [['DE'], 'de'],
    [['de-AT'], 'de'],
    [['de-Latn-AT-1901'], 'de'],
    [['fr', 'de'], 'de'],
    [['fr-CA', 'de-AT', 'en'], 'de'],
    [['pt-br'], 'pt-BR'],
    [['pt-BR-x-old'], 'pt-BR'],
    [['zh-Hant-TW'], 'zh-Hant'],
    // A wish never finds a language that says more than it.
    [['pt'], undefined],
    [['zh-Hans'], undefined],
    [['d'], undefined],
    [['deu'], undefined],
    [['*'], undefined],
    [['de_AT'], undefined],
    [['../de'], undefined],
    [['de-'], undefined],
    [['__proto__', 'constructor'], undefined],
    [[''], undefined],
    [[], undefined],
    [[`de${'-a1b2c3d4'.repeat(4)}`], undefined], // longer than any tag of a language
  ]
  for (const [wishes, found] of CASES)
    it(`of ${wishes.join(', ') || 'no wish'} finds ${found ?? 'none'}`, () =>
      expect(lookUpLanguage(wishes, AVAILABLE)).to.deep.equal(found === undefined ? none : some(found)))
})
