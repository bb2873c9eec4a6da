#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(WASILibc)
  import WASILibc
#else
  import Darwin
#endif

/// The only functions of the C math library that this module uses.
enum Elementary {
  static func exp(_ x: Double) -> Double {
    #if canImport(Glibc)
      Glibc.exp(x)
    #elseif canImport(Musl)
      Musl.exp(x)
    #elseif canImport(Bionic)
      Bionic.exp(x)
    #elseif canImport(WASILibc)
      WASILibc.exp(x)
    #else
      Darwin.exp(x)
    #endif
  }

  static func log(_ x: Double) -> Double {
    #if canImport(Glibc)
      Glibc.log(x)
    #elseif canImport(Musl)
      Musl.log(x)
    #elseif canImport(Bionic)
      Bionic.log(x)
    #elseif canImport(WASILibc)
      WASILibc.log(x)
    #else
      Darwin.log(x)
    #endif
  }

  static func pow(_ base: Double, _ exponent: Double) -> Double {
    #if canImport(Glibc)
      Glibc.pow(base, exponent)
    #elseif canImport(Musl)
      Musl.pow(base, exponent)
    #elseif canImport(Bionic)
      Bionic.pow(base, exponent)
    #elseif canImport(WASILibc)
      WASILibc.pow(base, exponent)
    #else
      Darwin.pow(base, exponent)
    #endif
  }
}
