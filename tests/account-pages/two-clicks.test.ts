import { expect } from 'chai'
import { compose } from '../../adapters/index.ts'
import { onEveryStore } from '../support/every-store.ts'
import { heldCommits } from '../support/held-commits.ts'
import { settings } from '../support/settings.ts'
import { leadsTo, onceIn } from './browser-desk.ts'
import { type PageClient, type PagesService, pageClient, startPages } from './pages-service.ts'

const NEW = { new_password: 'new', new_password_check: 'new' }
const RECOVERED = [303, '/account/sign-in?notice=recovered']
const RECOVERED_BEFORE = [303, '/account/sign-in?notice=already_done']

onEveryStore('two clicks on the button behind a mailed link', (stores) => {
  let one: PagesService
  let other: PageClient
  let stopOther: () => Promise<void>
  const { front, overtake, release } = heldCommits()
  before(async () => {
    const { environment, modules } = await stores.lasting(front)
    one = await startPages({ ...environment }, ...modules)
    const second = await compose(settings({ ACCOUNT_PAGES: 'on', ...environment }), ...modules)
    other = pageClient(`http://127.0.0.1:${await second.listen('127.0.0.1', 0)}`)
    stopOther = async () => {
      await other.close()
      await second.stop()
    }
  })
  afterEach(release)
  after(async () => {
    await stopOther()
    await one.stop()
  })

  it('that confirms an e-mail, on two instances at once: both read that it is confirmed', async () => {
    const token = await one.confirmationToken()
    const click = (at: PageClient | PagesService) => at.post('/account/email', { token })
    const read = ({ status, html }: Awaited<ReturnType<typeof click>>) => [
      status,
      html.includes('<h1>Your e-mail address is confirmed</h1>'),
    ]
    const late = await overtake({ late: () => click(other), writes: 'EmailConfirmed' }, async () =>
      expect(read(await click(one))).to.deep.equal([200, true]),
    )
    expect(read(late)).to.deep.equal([200, true])
    expect(read(await click(other))).to.deep.equal([200, true])
  })

  it('on one instance: both read the same', async () => {
    const token = await one.recoveryToken()
    const once = onceIn(await one.get(`/account/recovery?token=${token}`))
    const click = () => one.post('/account/recovery', { once, token, ...NEW })
    expect((await Promise.all([click(), click()])).map(leadsTo)).to.deep.equal([RECOVERED, RECOVERED])
    expect(await one.accepts('new')).to.equal(true)
  })

  it('on two instances, one after the other: the second leads to the sign-in', async () => {
    const token = await one.recoveryToken()
    const once = onceIn(await one.get(`/account/recovery?token=${token}`))
    const clicks = [one, other].map((at) => () => at.post('/account/recovery', { once, token, ...NEW }))
    const answers = []
    for (const click of clicks) answers.push(leadsTo(await click()))
    expect(answers).to.deep.equal([RECOVERED, RECOVERED_BEFORE])
  })

  it('on two instances at once: the later one finds the password set, and reads no failure', async () => {
    const token = await one.recoveryToken()
    const click = (at: PageClient | PagesService) => at.post('/account/recovery', { token, ...NEW })
    const late = await overtake({ late: () => click(other), writes: 'PasswordRecovered' }, async () =>
      expect(leadsTo(await click(one))).to.deep.equal(RECOVERED),
    )
    expect(leadsTo(late)).to.deep.equal(RECOVERED_BEFORE)
  })
})
