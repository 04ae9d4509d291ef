)]}{[(<>>< template<template <a>(}] namespace{ [[ ]] alignas( alignas(8 decltype( decltype
