import { expect } from 'chai'
import { jsonTalk } from './transport-json-talk.ts'

describe('the JSON of a body', () => {
  const { known, missingIn, send } = jsonTalk()

  describe('has no special names', () => {
    const NAMES = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'valueOf',
      'hasOwnProperty',
      'toJSON',
      'then',
      '',
    ]

    /** The properties of the built-in prototypes, which pollution would change. */
    const traits = () =>
      [Object.prototype, Array.prototype, String.prototype, Function.prototype].map((prototype) => [
        ...Object.getOwnPropertyNames(prototype),
        Object.getPrototypeOf(prototype) === null,
      ])

    const VALUES: ReadonlyArray<(fields: string) => string> = [
      (fields) => `{${fields}}`,
      (fields) => `{"prototype":{${fields}}}`,
      (fields) => `{"__proto__":{${fields}}}`,
      (fields) => `{"__proto__":{"__proto__":{${fields}}}}`,
      (fields) => `{"constructor":{"prototype":{${fields}}}}`,
      (fields) => `[{${fields}}]`,
      () => '"x"',
      () => 'null',
      () => '1e400',
      () => '[]',
    ]

    for (const name of NAMES) {
      it(`${name === '' ? 'the empty name' : name}: at the top, nested, repeated and escaped`, async () => {
        const before = traits()
        const spelt = [...name].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')
        for (const value of VALUES) {
          const text = value(`${known()},"polluted":true`)
          for (const own of [`"${name}":${text}`, `"${spelt}":${text}`, `"${name}":1,"${name}":${text}`]) {
            expect(await missingIn(`{${own}}`)).to.deep.equal([1, 2])
            expect((await send(`{"x":{${own}},${known()},${own}}`)).status).to.equal(200)
          }
        }
        expect(traits()).to.deep.equal(before)
        expect({}).not.to.have.property('polluted')
        expect({}).not.to.have.property('public_api_key')
      })
    }

    it('and distinguishes a name with U+0000 at its end', async () => {
      const odd = known().replaceAll('_api_key":', '_api_key\\u0000":')
      expect(await missingIn(`{${odd}}`)).to.deep.equal([1, 2])
      expect((await send(`{${known()},${odd.replaceAll(/:"[^"]*"/g, ':1')}}`)).status).to.equal(200)
    })

    it('and none of them yields a value', async () => {
      for (const name of NAMES) {
        const answer = await send(`{"public_api_key":"${name}","private_api_key":"${name}"}`)
        expect(answer.status).to.equal(name === '' ? 422 : 401)
      }
    })
  })
})
