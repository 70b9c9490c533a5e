import { expect } from 'chai'
import * as fc from 'fast-check'
import { contextNames, withoutNames } from '../../domain/password-names.ts'
import { SEED, withoutIo } from './no-io.ts'

const SERVICES = ['portcullis', 'auth.example-shop.org']

describe('the context names of a password', () => {
  withoutIo()

  const NAMES: ReadonlyArray<
    readonly [of: string, email: string | undefined, services: ReadonlyArray<string>, names: string[]]
  > = [
    ['no user and no service', undefined, [], []],
    ['the service', undefined, SERVICES, ['auth.example-shop.org', 'portcullis', 'example', 'auth', 'shop']],
    [
      'a user',
      'Ada.Lovelace@Mail.Example.com',
      [],
      [
        'ada.lovelace@mail.example.com',
        'mail.example.com',
        'ada.lovelace',
        'lovelace',
        'example',
        'mail',
        'ada',
      ],
    ],
    ['a user with digits', 'ada1815@b.de', [], ['ada1815@b.de', 'ada1815', 'b.de', 'ada']],
    ['a user with signs', 'a+lovelace_b-c@b', [], ['a+lovelace_b-c@b', 'a+lovelace_b-c', 'lovelace']],
    ['a text that is not an e-mail', 'lovelace', [], []],
    ['an e-mail that is too long', `${'n'.repeat(260)}@example.com`, [], []],
    ['an address', undefined, ['127.0.0.1'], ['127.0.0.1']],
    ['this machine', undefined, ['localhost'], ['localhost']],
  ]
  for (const [of, email, services, names] of NAMES) {
    it(`of ${of} are ${names.join(', ') || 'none'}`, () => {
      expect(contextNames(email, services)).to.have.members(names)
    })
  }

  it('start with the longest', () => {
    const lengths = contextNames('ada.lovelace@example.com', SERVICES).map(({ length }) => length)
    expect(lengths).to.deep.equal([...lengths].sort((one, other) => other - one))
  })

  const names = contextNames('ada.lovelace@example.com', SERVICES)

  const LEFT: ReadonlyArray<readonly [what: string, password: string, rest: string]> = [
    ['the e-mail', 'ada.lovelace@example.com', ''],
    ['the e-mail and a digit', 'ada.lovelace@example.com1', '1'],
    ['the local part and a year', 'ada.lovelace2026', '2026'],
    ['a name in two cases', 'LOVELACElovelace!', '!'],
    ['the service twice', 'portcullisportcullis', ''],
    ['the service backwards', 'silluctrop-Silluctrop', '-'],
    ['the service with digits for letters', 'P0rtcu11i5_p0r7cul1!s', '_'],
    ['the host of the service', 'auth.Example-Shop.org!!', '!!'],
    ['a word of the host', 'my shop, my secret', 'my , my secret'],
    ['three letters by themselves, several times', 'ada-ADA adalovelace 4d@1', '-  1'],
  ]
  for (const [what, password, rest] of LEFT) {
    it(`are removed from ${what}: ${JSON.stringify(password)} leaves ${JSON.stringify(rest)}`, () => {
      expect(withoutNames(password, names)).to.deep.equal({ rest, hasNames: true })
    })
  }

  for (const [what, password] of [
    ['it contains none', 'trombone gravel sunlit'],
    ['a name of three letters is part of another word', 'adamant canada'],
    ['it contains only the top level of a name', 'com org com org'],
    ['it is empty', ''],
    ['they come after the first 512 code points', `${'💥'.repeat(512)}lovelace`],
  ] as const) {
    it(`are not found if ${what}`, () => {
      expect(withoutNames(password, names)).to.deep.equal({ rest: password, hasNames: false })
    })
  }

  it('leave a password unchanged if there are no names', () => {
    expect(withoutNames('ada.lovelace', [])).to.deep.equal({ rest: 'ada.lovelace', hasNames: false })
  })

  it('are found literally: no character of an e-mail has a special meaning', () => {
    const local = fc.string({
      unit: fc.constantFrom(..."abcz09.!#$%&'*+/=?^_`{|}~-"),
      minLength: 3,
      maxLength: 30,
    })
    fc.assert(
      fc.property(local, (name) => {
        const email = `${name}@b.cd`
        const { rest } = withoutNames(`  ${email.toUpperCase()}  `, contextNames(email, []))
        expect(rest).to.equal('    ')
      }),
      { seed: SEED, numRuns: 500 },
    )
  })
})
