export { ConnectForm } from './ConnectForm'
export { FirstStart } from './FirstStart'
