import { createRoot } from 'react-dom/client'
import './styles/index.css'

const root = document.getElementById('root')
if (root) createRoot(root).render(<h1>Lockstep</h1>)
