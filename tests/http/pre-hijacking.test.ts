import { expect } from 'chai'
import { type AccountDesk, openDesk } from '../support/account-desk.ts'
import { onMemory } from '../support/one-store.ts'

/**
 * The five classes of account pre-hijacking of Sudhodanan and Paverd, USENIX Security 2022: the attacker acts on an e-mail before
 * its owner has an account. In each test the owner then recovers the account, and the attacker must be out.
 *
 * Two classes need federated sign-in. An application does that for this service, and vouched-attacks.test.ts plays how it claims an account.
 * The tests here play the rest:
 *
 * - Classic-Federated Merge: no route merges accounts, so a second account with the e-mail is refused
 * - Non-verifying IdP: an application is the only one that can vouch for an e-mail, and it needs a scope for that
 */
onMemory('account pre-hijacking', (stores) => {
  const VICTIM = 'victim@example.com'
  const ATTACKER = 'attacker@example.org'
  const GUESSED = 'chosen by the attacker'
  const OWN = 'chosen by the owner'

  let desk: AccountDesk
  let id: string
  beforeEach(async () => {
    desk = await openDesk(await stores.fresh())
    const registered = await desk.register(VICTIM, GUESSED)
    expect(registered.status).to.equal(201)
    id = registered.body.id
  })
  afterEach(async () => {
    expect(await desk.disagreements()).to.deep.equal([])
    await desk.stop()
  })

  const attackersSession = () => desk.userToken({ email: VICTIM, password: GUESSED })
  const confirmation = async (email: string) => {
    const started = await desk.startConfirmation({ user_id: id, email, password: GUESSED })
    expect(started.status).to.equal(200)
    return started.body.token as string
  }
  /** The owner finds the account, and proves that the mailbox is theirs. */
  const ownerRecovers = async () => {
    expect((await desk.recover(await desk.recoveryToken(VICTIM), OWN)).status).to.equal(200)
  }
  const expectOwnersAccount = async () => {
    expect((await desk.signIn(GUESSED, VICTIM)).status, 'the password of the attacker').to.equal(422)
    const signedIn = await desk.signIn(OWN, VICTIM)
    expect(signedIn.body).to.include({ user_id: id, email_verified: true })
    const { body } = await desk.profile(signedIn.body.token)
    expect(body).to.deep.equal({ email: VICTIM, id, email_verified: true, roles: [] })
  }

  it('Classic-Federated Merge: a second account with the e-mail is refused, and none is merged', async () => {
    const second = await desk.register(VICTIM.toUpperCase(), OWN, { email_verified: true })
    expect(second.status).to.equal(422)
    expect(second.body.errors[0].code).to.equal(4)
    expect((await desk.signIn(OWN, VICTIM)).status).to.equal(422)
    await ownerRecovers()
    await expectOwnersAccount()
  })

  it('Unexpired Session Identifier: the recovery ends the sessions that the attacker kept open', async () => {
    const sessions = [await attackersSession(), await attackersSession()]
    await ownerRecovers()
    for (const token of sessions) expect((await desk.profile(token)).status).to.equal(401)
    await expectOwnersAccount()
  })

  it('Trojan Identifier: an account has one e-mail, so that the attacker cannot keep a second one', async () => {
    expect((await desk.completeConfirmation({ token: await confirmation(ATTACKER) })).status).to.equal(200)
    expect((await desk.signIn(GUESSED, VICTIM)).status, 'the e-mail of the victim is free').to.equal(422)
    const owner = await desk.register(VICTIM, OWN)
    expect(owner.status).to.equal(201)
    const attackers = await desk.startRecovery({ email: ATTACKER })
    expect([attackers.body.user_id, attackers.body.email]).to.deep.equal([id, ATTACKER])
    const owners = await desk.startRecovery({ email: VICTIM })
    expect([owners.body.user_id, owners.body.email]).to.deep.equal([owner.body.id, VICTIM])
    expect((await desk.signIn(GUESSED, ATTACKER)).body.user_id).to.equal(id)
    expect((await desk.signIn(OWN, VICTIM)).body.user_id).to.equal(owner.body.id)
  })

  it('Trojan Identifier: a recovery token that the attacker got before the recovery has ended', async () => {
    const kept = await desk.recoveryToken(VICTIM) // such as from a mailbox that was shared for a while
    await ownerRecovers()
    expect((await desk.recover(kept, GUESSED)).status).to.equal(422)
    await expectOwnersAccount()
  })

  it('Unexpired Email Change: the recovery ends a change of the e-mail that the attacker has begun', async () => {
    const change = await confirmation(ATTACKER)
    await ownerRecovers()
    expect((await desk.completeConfirmation({ token: change })).status).to.equal(422)
    expect((await desk.startRecovery({ email: ATTACKER })).body.user_id).to.equal(null)
    await expectOwnersAccount()
  })

  it('Non-verifying IdP: without the scope users:confirm_email, an application cannot vouch for an e-mail', async () => {
    const other = await desk.register('other@example.com', GUESSED, { email_verified: true })
    expect([other.status, other.body.email_verified]).to.deep.equal([201, false])
    expect((await desk.signIn(GUESSED, 'other@example.com')).body.email_verified).to.equal(false)
  })
})
