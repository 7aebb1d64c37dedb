//! Binding of values, the same for both drivers.

/// Binds values in order: `args![project.0, name]`.
macro_rules! args {
    ($($value:expr),* $(,)?) => {{
        #[allow(unused_mut, reason = "a statement may have no parameter")]
        let mut list = super::driver::Args::default();
        $(super::driver::put(&mut list, $value)?;)*
        list
    }};
}
