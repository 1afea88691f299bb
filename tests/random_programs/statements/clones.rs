use super::statements;

statements! {
    names { x, s, z, l, f, h, .. } { i, j, .. };
    second { x[i] = x[j].clone(); } => { x[i] = x[j]; }
    { s[i] = s[j].clone(); } => { s[i] = s[j]; }
    second { z[i] = z[j].clone(); } => { z[i] = z[j]; }
    { l[i] = l[j].clone(); } => { l[i] = l[j]; }
    { h[i] = h[j].clone(); } => { h[i] = h[j]; }
    { f[i] = f[j].clone(); } => { f[i] = f[j].clone(); }
}
