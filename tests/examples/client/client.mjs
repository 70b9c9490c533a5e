import { portcullis } from 'portcullis-client'

const { PUBLIC_API_KEY: publicApiKey = '', PRIVATE_API_KEY: privateApiKey = '' } = process.env
const { EMAIL, PASSWORD, NEW_PASSWORD } = process.env

const auth = portcullis({ url: 'http://127.0.0.1:8080', publicApiKey, privateApiKey })

/** Prints every problem, as a form shows it beside its field. */
const show = (problems) => {
  for (const { field, reason, message } of problems) console.log(`${field}: ${reason} (${message})`)
}

const signedIn = await auth.signIn({ email: EMAIL, password: PASSWORD })
if (!signedIn.ok) {
  show(signedIn.problems)
  process.exit(1)
}

const user = auth.user(signedIn.token)
const profile = await user.getProfile()
if (profile.ok) console.log(`${profile.email} is signed in for ${signedIn.expiresIn} seconds.`)

const refused = await user.changePassword({
  oldPassword: 'wrong',
  newPassword: '',
  newPasswordCheck: 'other',
})
if (!refused.ok) show(refused.problems)

const changed = await user.changePassword({
  oldPassword: PASSWORD,
  newPassword: NEW_PASSWORD,
  newPasswordCheck: NEW_PASSWORD,
})
if (changed.ok) console.log(changed.message)
else show(changed.problems)
