import { expect } from 'chai'
import { httpClient } from '../support/http-client.ts'
import { onSqlite } from '../support/one-store.ts'

onSqlite('portcullis application create and user create', (stores) => {
  const { portcullis, serve, remove } = stores.workplace()
  after(remove)

  it('make an application and a user that work at once on a running server', async () => {
    const server = await serve()
    const { send, close } = httpClient(server.url)

    const application = await portcullis('application create --name shop --json')
    expect(application.status).to.equal(0)
    expect(application.err).to.equal('')
    const { id, public_api_key, private_api_key, ...rest } = JSON.parse(application.out)
    expect(rest).to.deep.equal({ name: 'shop', scope: 'users:sign_in users:register' })
    expect(public_api_key).to.equal(`pk_${id}`)

    const user = await portcullis('user create --email ada@example.com --password-stdin --json', {
      input: ' as sent \n',
    })
    expect(user.status).to.equal(0)
    expect(user.err).to.equal('')
    const made = JSON.parse(user.out)
    expect(made).to.deep.equal({ id: made.id, email: 'ada@example.com' })

    const issued = await send({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: { public_api_key, private_api_key },
    })
    const signIn = (password: string) =>
      send({
        method: 'POST',
        path: '/api/v1/auth/user/token',
        token: issued.body.token,
        body: { email: 'ada@example.com', password },
      })
    expect((await signIn(' as sent ')).body.user_id).to.equal(made.id)
    expect((await signIn('as sent')).status).to.equal(422)

    await close()
    expect(await server.end()).to.equal(0)
  })
})
