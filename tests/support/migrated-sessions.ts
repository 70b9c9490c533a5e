import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { aRevokedToken, change, revokedToken, signedOut } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { succeed } from './outcome.ts'

const BY_SHOP = {
  endsAtSeconds: none,
  renewedAtSeconds: none,
  label: none,
  methods: none,
  authenticatedAtSeconds: none,
  id: 'by-shop',
  userId: 'ada',
  passwordVersion: 1,
  sessionsVersion: 1,
  createdAtSeconds: some(1_767_323_046), // stored in whole seconds: 06.999 in the log
  expiresAtSeconds: 4_102_444_800,
  applicationId: some('shop'),
  signedOut: false,
  version: 1,
}
const BY_OPERATOR = {
  ...BY_SHOP,
  id: 'by-operator',
  createdAtSeconds: some(1_767_323_049),
  expiresAtSeconds: 4_102_444_802,
  applicationId: none,
}
const OF_BEFORE = {
  ...BY_SHOP,
  id: 'of-before',
  createdAtSeconds: none,
  expiresAtSeconds: 4_102_444_803,
  applicationId: none,
}
const OF_ADA = {
  userId: 'ada',
  passwordVersion: 1,
  sessionsVersion: 1,
  expiresAfterSeconds: 0,
  skip: 0,
  limit: 10,
}

/** Checks that migrated sessions are alive and have their data from the log. */
export const expectMigratedSessions = async (store: Store): Promise<void> => {
  expect(await succeed(store.listSessions(OF_ADA))).to.deep.equal([BY_OPERATOR, BY_SHOP])
  const found = await succeed(store.findSession('by-shop'))
  expect(found).to.have.nested.property('value.user.email', 'ada@example.com')
  expect(found).to.have.deep.nested.property('value.session', BY_SHOP)
  expect(await succeed(store.findSession('ended'))).to.have.deep.nested.property('value.session', {
    ...BY_SHOP,
    id: 'ended',
    createdAtSeconds: some(1_767_323_047),
    expiresAtSeconds: 4_102_444_801,
    applicationId: some('other'),
    signedOut: true,
    version: 2,
  })
  const { disagreements } = await succeed(checkLog({ store, clock: Date.now, digests: nodeDigests }))
  expect(disagreements.filter((sentence) => sentence.startsWith('sessions'))).to.deep.equal([])
}

/** Checks that a migrated store accepts changes: sessions end, and tokens are revoked. */
export const expectWritable = async (store: Store): Promise<void> => {
  const token = aRevokedToken({ applicationId: 'shop' })
  await commitAll(store, change(signedOut(BY_SHOP)), change(revokedToken(token)))
  expect(await succeed(store.listSessions(OF_ADA))).to.deep.equal([BY_OPERATOR])
  const holder = await succeed(store.findTokenHolder('shop', token.id))
  expect(holder).to.have.deep.nested.property('value.revocation', some(token))
}

/** Checks that a session written by the previous version is accepted. */
export const expectSessionOfBefore = async (store: Store): Promise<void> => {
  expect((await succeed(store.listSessions(OF_ADA)))[0]).to.deep.equal(OF_BEFORE)
  await commitAll(store, change(signedOut(OF_BEFORE)))
  expect((await succeed(store.listSessions(OF_ADA)))[0]).to.not.have.property('id', 'of-before')
}
