import { expect } from 'chai'
import { askAside } from '../../adapters/stores/postgres/ask-aside.ts'

describe('asking a server aside', () => {
  for (const [what, url] of [
    ['is away', 'postgres://ada@127.0.0.1:1/auth'],
    [
      'has a certificate that is missing here',
      'postgres://ada@127.0.0.1:1/auth?sslmode=verify-full&sslrootcert=/missing.pem',
    ],
  ] as const)
    it(`has no answer of one that ${what}`, async () => {
      expect(await askAside(url, async () => 'an answer')).to.equal(undefined)
    })
})
