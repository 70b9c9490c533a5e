import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import { MAIL_KINDS, type MailKind } from '../../../domain/mail.ts'
import type { Check } from '../outbox.ts'
import { ok, refused } from '../outcome.ts'
import { aMail, aRequest, claim, listed, NOW, put } from './steps.ts'

/** What is added is there, once. */
export const addingCases = (check: Check): void => {
  check('a mail reads back with every field', async ({ outbox }) => {
    const full = aMail({
      kind: 'recovery_codes',
      address: 'Zoë@bücher.example',
      language: some('de-AT'),
      applicationId: some('shop'),
      returnTo: some('https://shop.example/back?a=b'),
      facts: { factor: 'passkey', codesLeft: 9, areNew: true, device: 'Firefox "on" Linux 😀' },
      dueAtSeconds: NOW + 300,
      expiresAtSeconds: NOW + 4_000_000_000,
    })
    const least = aMail({ userId: none })
    await put(outbox, full, least)
    assert.deepEqual(await listed(outbox), [full, least])
  })

  check('a mail of each kind reads back', async ({ outbox }) => {
    const mails = (Object.keys(MAIL_KINDS) as ReadonlyArray<MailKind>).map((kind) => aMail({ kind }))
    await put(outbox, ...mails)
    assert.deepEqual(await listed(outbox), mails)
  })

  check('a mail that is added again stays as it is', async ({ outbox }) => {
    const mail = aMail()
    await put(outbox, mail, { ...mail, address: 'another@example.com' })
    assert.deepEqual(await listed(outbox), [mail])
  })

  check('too many unseen requests are refused, and notices are not counted', async ({ outbox }) => {
    const [one, other, third] = [aRequest(), aRequest({ kind: 'registration' }), aRequest()]
    await put(outbox, aMail(), aMail(), one)
    await ok(outbox.put({ mail: other, unseenAtMost: 2 }))
    await refused(outbox.put({ mail: third, unseenAtMost: 2 }), { _tag: 'OutboxFull' })
    assert.equal((await listed(outbox)).length, 4)
  })

  check('a known mail is no request too many', async ({ outbox }) => {
    const mail = aRequest()
    for (const unseenAtMost of [1, 1]) await ok(outbox.put({ mail, unseenAtMost }))
    assert.equal((await listed(outbox)).length, 1)
  })

  check('a request that was claimed is seen, also after it was postponed', async ({ outbox }) => {
    const [one, other] = [aRequest(), aRequest()]
    await put(outbox, one)
    await claim(outbox, { claim: 'first' })
    await ok(outbox.postpone({ id: one.id, claim: 'first', dueAtSeconds: NOW, code: '421', givesBack: true }))
    await ok(outbox.put({ mail: other, unseenAtMost: 1 }))
    assert.equal((await listed(outbox)).length, 2)
  })
}
