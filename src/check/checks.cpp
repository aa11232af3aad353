namespace replait {}
