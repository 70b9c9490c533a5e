import { expect } from 'chai'
import type { SigningKey } from '../../domain/signing-key.ts'
import { succeed } from '../support/outcome.ts'
import { eachSubject, newKey } from './subjects.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

eachSubject(({ name, format, purpose, claims }) => {
  describe(`${name}: a tampered token`, () => {
    let keys: ReadonlyArray<SigningKey>
    let token: string
    before(async () => {
      const key = await newKey({ format, purpose })
      keys = [key]
      token = await succeed(format.sign(claims, key))
      // The original is cached. A tampered token must not match it.
      await succeed(format.verify(token, keys))
    })

    const accepted = async (texts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
      const good: Array<string> = []
      for (const text of texts) {
        if ((await format.verify(text, keys)())._tag === 'Right') good.push(text)
      }
      return good
    }

    it('is refused after a change of any character', async () => {
      const changed = [...token].flatMap((character, at) =>
        [ALPHABET.charAt((ALPHABET.indexOf(character) + 1) % 64), character === '.' ? 'A' : '.', '=']
          .filter((other) => other !== character)
          .map((other) => token.slice(0, at) + other + token.slice(at + 1)),
      )
      expect(changed.length).to.be.greaterThan(2 * token.length)
      expect(await accepted(changed)).to.deep.equal([])
    })

    it('is refused without any one character', async () => {
      const without = Array.from(token, (_, at) => token.slice(0, at) + token.slice(at + 1))
      expect(await accepted(without)).to.deep.equal([])
    })

    it('is refused with any character doubled', async () => {
      const twice = Array.from(token, (_, at) => token.slice(0, at + 1) + token.slice(at))
      expect(await accepted(twice)).to.deep.equal([])
    })

    it('is refused with any two neighbouring characters swapped', async () => {
      const exchanged = Array.from(token.slice(1), (next, at) =>
        [token.slice(0, at), next, token.charAt(at), token.slice(at + 2)].join(''),
      ).filter((one) => one !== token)
      expect(exchanged.length).to.be.greaterThan(token.length / 2)
      expect(await accepted(exchanged)).to.deep.equal([])
    })

    it('is refused with any letter in the other case', async () => {
      const turned = Array.from(token, (letter, at) => {
        const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
        return token.slice(0, at) + other + token.slice(at + 1)
      }).filter((one) => one !== token)
      expect(turned.length).to.be.greaterThan(token.length / 2)
      expect(await accepted(turned)).to.deep.equal([])
    })

    it('is refused when truncated at any place', async () => {
      const cut = Array.from(token, (_, at) => token.slice(0, at))
      expect(await accepted(cut)).to.deep.equal([])
    })

    it('is refused with text before or after it', async () => {
      const more = ['A', '=', '==', '.', '.A', ' ', '\n', '\0', 'é', token]
      expect(await accepted(more.flatMap((text) => [token + text, text + token]))).to.deep.equal([])
    })

    it('is refused with a part emptied, doubled or moved', async () => {
      const parts = token.split('.')
      const spoilt = parts.flatMap((part, at) => [
        parts.with(at, ''),
        parts.toSpliced(at, 0, part),
        parts.toSpliced(at, 1),
        parts.toReversed(),
      ])
      expect(await accepted(spoilt.map((of) => of.join('.')))).to.deep.equal([])
    })

    it('is refused in a second spelling of the same bytes', async () => {
      const spellings: Array<string> = []
      // Signed parts of all lengths, so that some leave unused bits in their last character.
      for (const jti of ['', 'a', 'ab']) {
        const [key] = keys
        if (key === undefined) throw new Error('no key')
        const parts = (await succeed(format.sign({ ...claims, jti }, key))).split('.')
        for (const [at, part] of parts.entries()) {
          const bytes = Buffer.from(part, 'base64url')
          const twins = [...ALPHABET]
            .map((last) => part.slice(0, -1) + last)
            .filter((twin) => twin !== part && Buffer.from(twin, 'base64url').equals(bytes))
          const padded = [`${part}=`, `${part}==`, `${part}\n`, `${part.slice(0, 4)} ${part.slice(4)}`]
          const standard = part.replaceAll('-', '+').replaceAll('_', '/')
          for (const twin of [...twins, ...padded, ...(standard === part ? [] : [standard])]) {
            spellings.push(parts.with(at, twin).join('.'))
          }
        }
      }
      expect(spellings.length).to.be.greaterThan(40)
      expect(await accepted(spellings)).to.deep.equal([])
    })
  })
})
